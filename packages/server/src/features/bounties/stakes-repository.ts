/** The SQL of claim stakes. */
import type { BountyClaimId, NetworkName, StakeEnd, StakeStatus } from '@market/contract';
import { sql } from 'kysely';
import { defer, type Tx } from '../../platform/db/database.ts';

/** The stake of a claim's latest submission, as columns of the claim. All are null without a stake. */
export interface StakeColumns {
  readonly stakeNetwork: NetworkName | null;
  readonly stakeReference: string | null;
  readonly stakePayer: string | null;
  readonly stakeMicros: bigint | null;
  readonly stakeStatus: StakeStatus | null;
  readonly stakeDecidedAt: Date | null;
  /** Reference of the transfer to the payer or the poster, once it is confirmed. */
  readonly stakeReturn: string | null;
}

/** Subquery for statements that join `bounty_stakes`. */
export const stakeReturn = sql<string | null>`(select p.reference from payouts p
  where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed')`;

export const stakeColumns = [
  'bountyStakes.network as stakeNetwork',
  'bountyStakes.reference as stakeReference',
  'bountyStakes.payer as stakePayer',
  'bountyStakes.amountMicros as stakeMicros',
  'bountyStakes.status as stakeStatus',
  'bountyStakes.decidedAt as stakeDecidedAt',
  stakeReturn.as('stakeReturn'),
] as const;

export interface NewStake {
  readonly id: string;
  readonly claimId: BountyClaimId;
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly amountMicros: bigint;
  readonly paidAt: Date;
}

export async function insertStake(tx: Tx, stake: NewStake): Promise<void> {
  await defer(tx, tx.insertInto('bountyStakes').values(stake));
}

/** Decides held stakes. A stake that was decided before stays as it is; its second payout makes the transaction fail. */
export async function decideStakes(tx: Tx, ids: readonly string[], status: StakeEnd, at: Date): Promise<void> {
  await defer(
    tx,
    tx
      .updateTable('bountyStakes')
      .set({ status, decidedAt: at })
      .where('id', 'in', [...ids])
      .where('status', '=', 'held'),
  );
}
