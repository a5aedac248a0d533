/** An outgoing transfer in words: being sent, sent, arrived, delayed. *Went* is used only after it arrived. */
import type { Answer } from '../../../../data/answers.ts';
import { shorten } from '../../../../ui/words/format.ts';
import type { SentenceParts } from '../sentence-parts.ts';

export type Transfer = NonNullable<Answer<'orders.get'>['data']['money']['payout']>;

/** `waiting` has no transaction yet; `delayed` waits for a person. */
export type TransferStage = 'waiting' | 'sent' | 'arrived' | 'delayed';

export const stagesOfTransfers: Readonly<Record<Transfer['state'], TransferStage>> = {
  queued: 'waiting',
  signed: 'waiting',
  sent: 'sent',
  unknown: 'sent',
  confirmed: 'arrived',
  parked: 'delayed',
  void: 'waiting',
};

export const stageWords: Readonly<Record<TransferStage, string>> = {
  waiting: 'being sent',
  sent: 'on its way',
  arrived: 'arrived',
  delayed: 'delayed',
};

/** Money that is released or refunded without a transfer yet gets one within seconds. */
export function stageOf(transfer: Transfer | null): TransferStage {
  return transfer === null ? 'waiting' : stagesOfTransfers[transfer.state];
}

/** Follows the name of the transfer: `Payout being sent`, `Payout sent 0x12…ef`, `Payout arrived 18:22`. */
export function transferWords(transfer: Transfer | null, format: Pick<SentenceParts, 'time'>): string {
  if (transfer === null) return 'being sent';
  const stage = stageOf(transfer);
  if (stage === 'arrived') return `arrived ${format.time(transfer.updated_at)}`;
  if (stage === 'sent') return transfer.tx_hash === null ? 'sent' : `sent ${shorten(transfer.tx_hash)}`;
  if (stage === 'delayed') return delayWords(transfer.reason);
  return 'being sent';
}

/** A delay always has a reason, so never only *pending*. */
export function delayWords(reason: string | null): string {
  return `delayed: ${reason ?? 'an operator looks at it'}`;
}

/** A whole sentence like `162.00 USDC is on its way to you: sent 0x12…ef.` */
export function transferSentence(amount: string, transfer: Transfer | null, to: string, format: Pick<SentenceParts, 'time'>): string {
  const stage = stageOf(transfer);
  const words = transferWords(transfer, format);
  if (stage === 'arrived') return `${amount} went to ${to}: ${words}.`;
  if (stage === 'sent') return `${amount} is on its way to ${to}: ${words}.`;
  if (stage === 'delayed') return `${amount} belongs to ${to}. The transfer is ${words.replace(/\.$/, '')}.`;
  return `${amount} is being sent to ${to}.`;
}
