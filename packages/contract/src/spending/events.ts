/** The public data of the events of spend policies. The owner reads them, and so does the agent that wants to pay. */
import { z } from 'zod';

const asked = z.object({
  approval_id: z.string(),
  operation: z.string(),
  amount_usd: z.string(),
  /** Who wants to pay: `agent:<id>` or `connection:<id>`. */
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
  /** Once, to owners who limited some of their agents and not others when limits began to pass to what an agent registers. */
  'spending.agents_unlimited': z.object({ agents: z.array(z.object({ id: z.string(), name: z.string() })) }),
} as const satisfies Record<string, z.ZodObject>;

export type SpendingEventType = keyof typeof spendingEvents;
export type SpendingEventData<T extends SpendingEventType> = z.input<(typeof spendingEvents)[T]>;
