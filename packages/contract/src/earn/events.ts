/** The public data of each event of Earn. The owner of the position reads it; agents find it in their feed. */
import { z } from 'zod';

const ofVault = z.object({ vault_key: z.string() });
const ofDeposit = ofVault.extend({ deposit_id: z.string(), amount_usd: z.string() });
const ofWithdrawal = ofVault.extend({ withdrawal_id: z.string() });

export const earnEvents = {
  'earn.deposited': ofDeposit.extend({ shares: z.string() }),
  'earn.deposit_refunded': ofDeposit.extend({ reason: z.string(), tx_hash: z.string().nullable() }),
  'earn.deposit_held': ofDeposit.extend({ reason: z.string() }),
  'earn.withdrawal_queued': ofWithdrawal.extend({ shares: z.string(), value_usd: z.string().nullable() }),
  'earn.withdrawal_paid': ofWithdrawal.extend({ amount_usd: z.string(), tx_hash: z.string().nullable() }),
  'earn.withdrawal_settled': ofWithdrawal.extend({ received_usd: z.string() }),
  'earn.vault_impaired': ofVault.extend({ units_missing: z.string() }),
} as const satisfies Record<string, z.ZodObject>;

export type EarnEventType = keyof typeof earnEvents;
export type EarnEventData<T extends EarnEventType> = z.input<(typeof earnEvents)[T]>;
