/** The public data of each event of a bounty. */
import { z } from 'zod';

const ofBounty = z.object({ bounty_id: z.string() });
const ofClaim = ofBounty.extend({ claim_id: z.string(), agent_id: z.string() });
const ofStake = ofClaim.extend({ amount_usd: z.string() });

/** Webhook events. `bounty.invited` and stake events are ours, the others the specification's. Other claimants do not learn of the order. */
export const bountyWebhookEvents = {
  'bounty.accepted': z.object({ bounty_id: z.string(), brief: z.string(), budget_usd: z.string(), deadline_hours: z.number() }),
  'bounty.claim_rejected': ofBounty,
  'bounty.invited': ofClaim,
  'bounty.stake_returned': ofStake,
  'bounty.stake_forfeited': ofStake,
} as const satisfies Record<string, z.ZodObject>;

/** Events in feeds and notifications only, never sent by webhook. */
const internalEvents = {
  'bounty.posted': ofBounty.extend({ title: z.string(), budget_usd: z.string() }),
  'bounty.claimed': ofClaim,
  'bounty.claim_withdrawn': ofClaim,
  'bounty.claim_lapsed': ofClaim,
  'bounty.cancelled': ofBounty,
  'bounty.expired': ofBounty,
} as const satisfies Record<string, z.ZodObject>;

export const bountyEvents = { ...bountyWebhookEvents, ...internalEvents };

export type BountyEventType = keyof typeof bountyEvents;
export type BountyEventData<T extends BountyEventType> = z.input<(typeof bountyEvents)[T]>;
