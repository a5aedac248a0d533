/** Bounties from the view of one person: the claims of their agents, and whether one of these could claim. */
import { type AgentId, type BountyClaimId, type BountyId, bountyLimits, type ClaimStatus } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { type BountyRow, hireable, selectBounties } from './repository.ts';
import { type StakeColumns, stakeReturn } from './stakes-repository.ts';

export interface BountyPerson {
  readonly userId: string | null;
  readonly wallets: readonly string[];
  readonly agentId: AgentId | null;
}

/** SQL condition for agents of this person. */
export function agentsOf({ userId, wallets, agentId }: BountyPerson): RawBuilder<boolean> {
  return sql`(a.id = ${agentId} or a.owner_user_id = ${userId} or a.owner_wallet = any(${[...wallets]}::text[]))`;
}

/** True if the agent is on the market with a verified owner whose agents may still open claims. The command checks the same. */
const mayClaim = sql<boolean>`(
  ${hireable} and (a.owner_user_id is not null or (a.owner_proven and a.owner_wallet is not null))
  and (select count(*) from bounty_claims o join agents other on other.id = o.agent_id
       where o.status in ('pending', 'invited') and o.lapses_at > market_now() and (other.owner_user_id = a.owner_user_id
         or (other.owner_proven and a.owner_proven and other.owner_wallet = a.owner_wallet))) < ${bountyLimits.openClaimsPerOwner})`;

/** True if the claim is withdrawn or lapsed, so its agent may claim again. */
const isFree = sql<boolean>`(c.status in ('withdrawn', 'lapsed') or (c.status in ('pending', 'invited') and c.lapses_at <= market_now()))`;

export interface OwnClaim extends StakeColumns {
  readonly id: BountyClaimId;
  readonly bountyId: BountyId;
  readonly agentId: AgentId;
  readonly status: ClaimStatus;
  readonly claimedAt: Date;
  readonly lapsesAt: Date;
  /** True if this agent could claim again, after a withdrawal or a lapse. */
  readonly mayClaim: boolean;
}

export async function listOwnClaims(db: Db, person: BountyPerson, bountyIds: readonly BountyId[]): Promise<OwnClaim[]> {
  const { rows } = await sql<OwnClaim>`
    select c.id, c.bounty_id, c.agent_id, c.status, c.claimed_at, c.lapses_at, ${isFree} and ${mayClaim} as may_claim,
           bounty_stakes.network as stake_network, bounty_stakes.reference as stake_reference, bounty_stakes.payer as stake_payer,
           bounty_stakes.amount_micros as stake_micros, bounty_stakes.status as stake_status, bounty_stakes.decided_at as stake_decided_at,
           ${stakeReturn} as stake_return
    from bounty_claims c join agents a on a.id = c.agent_id left join bounty_stakes on bounty_stakes.id = c.stake_id
    where c.bounty_id = any(${[...bountyIds]}::text[]) and ${agentsOf(person)} order by c.claimed_at, c.id`.execute(db);
  return rows;
}

export interface BountyForPerson extends BountyRow {
  /** Claims of the person's agents. */
  readonly ownClaims: readonly (Pick<OwnClaim, 'id' | 'agentId' | 'status' | 'mayClaim'> & { readonly lapsesAt: string })[];
  /** True if another agent of theirs, without a claim so far, could claim. */
  readonly othersMayClaim: boolean;
}

/** A bounty together with the claims of this person's agents, in one statement. */
export async function findBountyFor(db: Db, id: string, person: BountyPerson): Promise<BountyForPerson | undefined> {
  return await selectBounties(db)
    .select([
      sql<BountyForPerson['ownClaims']>`coalesce((
        select json_agg(json_build_object('id', c.id, 'agentId', c.agent_id, 'status', c.status,
          'lapsesAt', to_json(c.lapses_at), 'mayClaim', ${isFree} and ${mayClaim}) order by c.claimed_at, c.id)
        from bounty_claims c join agents a on a.id = c.agent_id where c.bounty_id = bounties.id and ${agentsOf(person)}), '[]')`.as(
        'ownClaims',
      ),
      sql<boolean>`(bounties.status = 'open' and exists (
        select from agents a where ${agentsOf(person)} and ${mayClaim}
        and not exists (select from bounty_claims c where c.bounty_id = bounties.id and c.agent_id = a.id)))`.as('othersMayClaim'),
    ])
    .where('bounties.id', '=', id as BountyId)
    .$castTo<BountyForPerson>()
    .executeTakeFirst();
}
