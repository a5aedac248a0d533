/** The SQL of claim stakes. */
import type { BountyClaimId, NetworkName, StakeEnd, StakeStatus } from '@market/contract';
import { sql } from 'kysely';
import { defer, type Tx } from '../../platform/db/database.ts';

/** The stake that a claim was last made with, as columns of the claim. All are null where there is none. */
export interface StakeColumns {
  readonly stakeNetwork: NetworkName | null;
  readonly stakeReference: string | null;
  readonly stakePayer: string | null;
  readonly stakeMicros: bigint | null;
  readonly stakeStatus: StakeStatus | null;
  readonly stakeDecidedAt: Date | null;
  /** The transfer to the payer or the poster, once it arrived. */
  readonly stakeReturn: string | null;
}

/** For statements that join `bounty_stakes`. */
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

/** Only held stakes change. The payout of a stake that was decided before fails the transaction. */
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
