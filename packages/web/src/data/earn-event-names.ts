/** The event names of Earn. The schemas stay on the server; the compiler reports a missing name. */
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
