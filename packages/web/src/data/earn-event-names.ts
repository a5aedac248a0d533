/** The events of Earn by name. The schemas stay on the server; the compiler misses a name that does not stand here. */
import type { EarnEventType } from '@market/contract';

const named: Readonly<Record<EarnEventType, true>> = {
  'earn.deposited': true,
  'earn.deposit_refunded': true,
  'earn.deposit_held': true,
  'earn.withdrawal_queued': true,
  'earn.withdrawal_paid': true,
  'earn.withdrawal_settled': true,
  'earn.vault_impaired': true,
};

export const earnEventNames = Object.keys(named) as readonly EarnEventType[];
