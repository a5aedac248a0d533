/** Reads of bounties: the board, one bounty, the caller's own, figures, and the operators' list. */
import { MarketError, type NextAction } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { type Caller, isSomebody } from '../../access/caller.ts';
import type { BountiesContext } from './bounties-context.ts';
import { countFacets } from './facets-repository.ts';
import { listBountiesOf, listNewest, readFigures, searchBounties } from './list-repository.ts';
import { actionsOf, actionsOnClaim, ownClaimActions, posterActions } from './next-actions.ts';
import { findBountyFor, listOwnClaims } from './person-repository.ts';
import { presentBounty, presentClaim, presentFigures, presentOwnClaim } from './present.ts';
import { type BountyRow, type ClaimRow, listClaims } from './repository.ts';
import { personOf, requireBounty, viewerOf } from './viewers.ts';

const OPERATORS_SEE = 50;

type Queries = Pick<HandlersOf<'bounties'>, 'list' | 'stats' | 'my' | 'get' | 'listAll'>;

export function bountyQueries(context: BountiesContext): Queries {
  const { db } = context.database;
  return {
    async list(filters, { caller }) {
      const [{ rows, total, nextCursor }, facets] = await Promise.all([
        searchBounties(db, filters),
        filters.facets === '1' ? countFacets(db, filters) : undefined,
      ]);
      const data = rows.map((row) => presentBounty(context, row, viewerOf(caller, row)));
      return { data, total, next_cursor: nextCursor, ...(facets !== undefined && { facets }) };
    },

    stats: async () => ({ data: presentFigures(await readFigures(db)) }),

    async my(paging, { caller }) {
      const person = personOf(caller);
      const { rows, total, nextCursor } = await listBountiesOf(db, person, paging);
      const claims = await listOwnClaims(
        db,
        person,
        rows.map(({ id }) => id),
      );
      const claimsOf = Map.groupBy(claims, ({ bountyId }) => bountyId);
      const data = rows.map((row) => {
        const viewer = viewerOf(caller, row);
        const own = (claimsOf.get(row.id) ?? []).map((claim) => presentOwnClaim(claim, ownClaimActions(row, claim)));
        const next = viewer.isPoster ? [...posterActions(row)] : [];
        return { ...presentBounty(context, row, viewer), viewer_is_poster: viewer.isPoster, next_actions: next, my_claims: own };
      });
      return { data, total, next_cursor: nextCursor };
    },

    async get({ id, include_claims: include }, { caller }) {
      const { bounty, next } = await readFor(context, id, caller);
      const viewer = viewerOf(caller, bounty);
      const shown = { ...presentBounty(context, bounty, viewer), viewer_is_poster: viewer.isPoster, next_actions: [...next] };
      if (include !== '1' || !isSomebody(caller)) return { data: shown };
      const [claims, own] = await Promise.all([
        viewer.isPoster || viewer.isAdmin ? listClaims(db, [bounty.id]) : undefined,
        listOwnClaims(db, personOf(caller), [bounty.id]),
      ]);
      const actions = (claim: ClaimRow) => (viewer.isPoster ? actionsOnClaim(bounty, claim) : []);
      return {
        data: {
          ...shown,
          ...(claims !== undefined && { claims: claims.map((claim) => presentClaim(claim, { isOwn: false }, actions(claim))) }),
          my_claims: own.map((claim) => presentOwnClaim(claim, ownClaimActions(bounty, claim))),
        },
      };
    },

    async listAll(_input, { caller }) {
      const rows = await listNewest(db, OPERATORS_SEE);
      const claims = await listClaims(
        db,
        rows.map(({ id }) => id),
      );
      const claimsOf = Map.groupBy(claims, ({ bountyId }) => bountyId);
      const data = rows.map((row) => ({
        ...presentBounty(context, row, viewerOf(caller, row)),
        claims: (claimsOf.get(row.id) ?? []).map((claim) => presentClaim(claim, { isOwn: false }, [])),
      }));
      return { data };
    },
  };
}

/** True if operators took the bounty down, or if it is open and its poster is banned. */
function isHidden({ status, posterBanned, takenDownAt }: BountyRow): boolean {
  return takenDownAt !== null || (status === 'open' && posterBanned);
}

/** A bounty and the caller's next actions. Callers without credentials can only read, so they need just the bounty. */
async function readFor(
  { database: { db } }: BountiesContext,
  id: string,
  caller: Caller,
): Promise<{ readonly bounty: BountyRow; readonly next: readonly NextAction[] }> {
  if (!isSomebody(caller)) {
    const bounty = await requireBounty(db, id);
    if (isHidden(bounty)) throw new MarketError('bounty_not_found');
    return { bounty, next: [] };
  }
  const bounty = await findBountyFor(db, id, personOf(caller));
  if (bounty === undefined) throw new MarketError('bounty_not_found');
  const { isPoster, isAdmin } = viewerOf(caller, bounty);
  // Agents that claimed a hidden bounty may still read it and withdraw.
  if (isHidden(bounty) && !isPoster && !isAdmin && bounty.ownClaims.length === 0) throw new MarketError('bounty_not_found');
  return { bounty, next: actionsOf(bounty, viewerOf(caller, bounty), caller.agent?.id ?? null) };
}
