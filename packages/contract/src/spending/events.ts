/** The public data of events of spend policies. The owner and the paying agent may read them. */
import { z } from 'zod';

const asked = z.object({
  approval_id: z.string(),
  operation: z.string(),
  amount_usd: z.string(),
  /** The payer: `agent:<id>` or `connection:<id>`. */
  by: z.string(),
});

export const spendingEvents = {
  'spending.approval_asked': asked.extend({ expires_at: z.string(), sentence: z.string() }),
  'spending.approval_decided': asked.extend({ decision: z.enum(['approved', 'declined']) }),
  'spending.policy_changed': z.object({
    subject_kind: z.string(),
    subject_id: z.string(),
    frozen: z.boolean(),
    per_day_usd: z.string().nullable(),
  }),
  /** Sent once to owners with limits on some agents only, when agents began to pass their limits to agents that they register. */
  'spending.agents_unlimited': z.object({ agents: z.array(z.object({ id: z.string(), name: z.string() })) }),
} as const satisfies Record<string, z.ZodObject>;

export type SpendingEventType = keyof typeof spendingEvents;
export type SpendingEventData<T extends SpendingEventType> = z.input<(typeof spendingEvents)[T]>;
