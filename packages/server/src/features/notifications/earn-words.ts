/** Notifications about deposits and withdrawals of Earn. */
import { type EarnEventType, earnEvents, queuedNote } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

type OwnedEvent = Exclude<EarnEventType, 'earn.vault_impaired'>;

const notices: Readonly<{ [T in OwnedEvent]: (data: z.output<(typeof earnEvents)[T]>, vault: string) => Words }> = {
  'earn.deposited': ({ amount_usd }, vault) =>
    words('earn_deposited', 'Deposit is earning', `${amount_usd} USDC is in ${vault} and belongs to your position.`),
  'earn.deposit_refunded': ({ amount_usd, reason }, vault) =>
    words(
      'earn_deposit_refunded',
      'Deposit sent back',
      `${vault} did not take your deposit. ${amount_usd} USDC went back to the wallet it came from.${reason === '' ? '' : ` Reason: ${reason}`}`,
    ),
  'earn.deposit_held': ({ amount_usd, reason }, vault) =>
    words(
      'earn_deposit_held',
      'Deposit is held',
      `We hold ${amount_usd} USDC for ${vault} safely; an operator decides what happens next. Reason: ${reason}`,
    ),
  'earn.withdrawal_queued': (_, vault) =>
    words('earn_withdrawal_queued', 'Withdrawal ordered', `Your withdrawal from ${vault} is on its way. ${queuedNote}`),
  'earn.withdrawal_paid': ({ amount_usd }, vault) =>
    words('earn_withdrawal_paid', 'Withdrawal paid', `${amount_usd} USDC from ${vault} arrived in your wallet.`),
  'earn.withdrawal_settled': ({ received_usd }, vault) =>
    words('earn_withdrawal_settled', 'Withdrawal complete', `Your withdrawal from ${vault} is complete: ${received_usd} USDC in all.`),
};

export const earnTypes: readonly string[] = Object.keys(notices);

const named = z.object({ label: z.string() });

export function noticeOfEarn(event: StoredEvent): Words {
  const type = event.type as OwnedEvent;
  const write = notices[type] as (data: unknown, vault: string) => Words;
  return write(earnEvents[type].parse(event.data), named.parse(event.context).label);
}
