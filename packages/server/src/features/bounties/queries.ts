/** Reading bounties: the board, one bounty, one's own, figures, and the list of operators. */
import { toWireTime } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { provenWallets } from '../../access/caller.ts';
import type { BountiesContext } from './bounties-context.ts';
import { listBountiesOf, listNewest, listOwnClaims, readFigures, searchBounties } from './list-repository.ts';
import { presentBounty, presentClaim, presentFigures } from './present.ts';
import { listClaims } from './repository.ts';
import { requireBounty, viewerOf } from './viewers.ts';

const OPERATORS_SEE = 50;

type Queries = Pick<HandlersOf<'bounties'>, 'list' | 'stats' | 'my' | 'get' | 'listAll'>;

export function bountyQueries(context: BountiesContext): Queries {
  const { db } = context.database;
  return {
    async list(filters, { caller }) {
      const { rows, total, nextCursor } = await searchBounties(db, filters);
      return { data: rows.map((row) => presentBounty(context, row, viewerOf(caller, row))), total, next_cursor: nextCursor };
    },

    stats: async () => ({ data: presentFigures(await readFigures(db)) }),

    async my(paging, { caller }) {
      const person = { userId: caller.user?.id ?? null, wallets: provenWallets(caller), agentId: caller.agent?.id ?? null };
      const { rows, total, nextCursor } = await listBountiesOf(db, person, paging);
      const claims = await listOwnClaims(
        db,
        person,
        rows.map(({ id }) => id),
      );
      const claimsOf = Map.groupBy(claims, ({ bountyId }) => bountyId);
      const data = rows.map((row) => {
        const viewer = viewerOf(caller, row);
        const own = (claimsOf.get(row.id) ?? []).map(({ id, agentId, status, claimedAt }) => ({
          claim_id: id,
          agent_id: agentId,
          status,
          created_at: toWireTime(claimedAt),
        }));
        return { ...presentBounty(context, row, viewer), viewer_is_poster: viewer.isPoster, my_claims: own };
      });
      return { data, total, next_cursor: nextCursor };
    },

    async get({ id, include_claims: include }, { caller }) {
      const bounty = await requireBounty(db, id);
      const viewer = viewerOf(caller, bounty);
      const shown = { ...presentBounty(context, bounty, viewer), viewer_is_poster: viewer.isPoster };
      if (include !== '1' || !(viewer.isPoster || viewer.isAdmin)) return { data: shown };
      const claims = await listClaims(db, [bounty.id]);
      return { data: { ...shown, claims: claims.map((claim) => presentClaim(claim, { isOwn: false })) } };
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
        claims: (claimsOf.get(row.id) ?? []).map((claim) => presentClaim(claim, { isOwn: false })),
      }));
      return { data };
    },
  };
}
