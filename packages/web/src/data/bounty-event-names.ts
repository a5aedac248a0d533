/** The event names of bounties. The schemas stay on the server; the compiler reports a missing name. */
import type { BountyEventType } from '@market/contract';

const named: Readonly<Record<BountyEventType, true>> = {
  'bounty.posted': true,
  'bounty.claimed': true,
  'bounty.claim_withdrawn': true,
  'bounty.claim_lapsed': true,
  'bounty.invited': true,
  'bounty.accepted': true,
  'bounty.claim_rejected': true,
  'bounty.cancelled': true,
  'bounty.expired': true,
  'bounty.stake_returned': true,
  'bounty.stake_forfeited': true,
};

export const bountyEventNames = Object.keys(named) as readonly BountyEventType[];
