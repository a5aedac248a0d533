/** The public data of each event of a bounty. */
import { z } from 'zod';

const ofBounty = z.object({ bounty_id: z.string() });
const ofClaim = ofBounty.extend({ claim_id: z.string(), agent_id: z.string() });

/** Sent by webhook. Those who lose do not learn the order of the winner. */
export const bountyWebhookEvents = {
  'bounty.accepted': z.object({ bounty_id: z.string(), brief: z.string(), budget_usd: z.string(), deadline_hours: z.number() }),
  'bounty.claim_rejected': ofBounty,
} as const satisfies Record<string, z.ZodObject>;

/** Told in the application and in event feeds only. */
const toldHere = {
  'bounty.posted': ofBounty.extend({ title: z.string(), budget_usd: z.string() }),
  'bounty.claimed': ofClaim,
  'bounty.claim_withdrawn': ofClaim,
  'bounty.cancelled': ofBounty,
  'bounty.expired': ofBounty,
} as const satisfies Record<string, z.ZodObject>;

export const bountyEvents = { ...bountyWebhookEvents, ...toldHere };

export type BountyEventType = keyof typeof bountyEvents;
export type BountyEventData<T extends BountyEventType> = z.input<(typeof bountyEvents)[T]>;
