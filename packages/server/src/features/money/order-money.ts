/** The money of one order, from the books alone. Always: paid = held + fee + released + refunded + surplus. */
import type { NetworkName } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import { presentLine } from './present.ts';
import { readSubjectLines, type SubjectLine } from './statements-repository.ts';

export interface OrderMoney {
  /** Everything that was paid for the order, including overpayment. */
  readonly paidMicros: bigint;
  /** Amount in escrow. */
  readonly heldMicros: bigint;
  readonly feeMicros: bigint;
  /** Amount for the agent: owed, on its way or arrived. */
  readonly releasedMicros: bigint;
  /** Amount back to the payer: owed, on its way or arrived. */
  readonly refundedMicros: bigint;
  readonly surplusMicros: bigint;
  /** Network of the payment; null for an unpaid order. */
  readonly network: NetworkName | null;
  /** Newest first; each balance is of this order alone. */
  readonly lines: readonly ReturnType<typeof presentLine>[];
}

export async function readOrderMoney(db: Db, orderId: string): Promise<OrderMoney> {
  const lines = await readSubjectLines(db, orderId);
  return { ...sumOrderMoney(lines, orderId), lines: lines.map(presentLine) };
}

function sumOrderMoney(lines: readonly SubjectLine[], orderId: string): Omit<OrderMoney, 'lines'> {
  const total = (matches: (line: SubjectLine) => boolean): bigint =>
    lines.filter(matches).reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
  const on = (account: string) => total((line) => line.account === account);
  const isEscrowOfOrder = (line: SubjectLine): boolean => line.account === 'escrow' && line.owner === orderId;
  // Money for an order comes from a payment, or from the escrow of another record.
  const isSource = (line: SubjectLine): boolean => line.account === 'unmatched' || (line.account === 'escrow' && line.owner !== orderId);
  // Leave out confirmations: the money left the order when it was reserved.
  const outgoing = (isRefund: boolean): bigint =>
    total((line) => line.account === 'in_flight' && line.kind !== 'payout_confirmed' && (line.payoutPurpose === 'refund') === isRefund);
  return {
    paidMicros: -total(isSource),
    heldMicros: total(isEscrowOfOrder),
    feeMicros: on('platform_fee'),
    releasedMicros: on('agent_payable') + outgoing(false),
    refundedMicros: on('refund_payable') + outgoing(true),
    surplusMicros: on('surplus_payable'),
    network: lines.findLast(isSource)?.network ?? null,
  };
}
