/** The stake of a claim in words. Pure. */
import type { BountyView } from './bounty-stand.ts';

export type OwnStake = NonNullable<NonNullable<BountyView['my_claims']>[number]['stake']>;

export function takesStake({ claim_stake_usd }: Pick<BountyView, 'claim_stake_usd'>): boolean {
  return Number(claim_stake_usd) > 0;
}

/** The state of the viewer's own stake. */
export function stakeStateWords({ status, return_tx_hash: sent }: Pick<OwnStake, 'status' | 'return_tx_hash'>): string {
  if (status === 'held') return 'held';
  if (status === 'returned') return sent === null ? 'on its way back' : 'came back';
  return 'went to the poster';
}
