/** Sentences about Earn for pages, notifications and tools: one per status of the money, and the risks. */
import { formatUsd } from '../kernel/money.ts';
import type { EarnDepositStatus, EarnWithdrawalStatus } from './lifecycle.ts';

export const earnStrategies = ['lending', 'liquidity_provision'] as const;
export type EarnStrategy = (typeof earnStrategies)[number];

export const earnProducts = {
  lending: {
    label: 'Lending',
    risk: 'lower',
    aprLabel: 'Supply APY',
    riskText:
      'Your USDC is lent to borrowers who pledge more than they borrow. The rate changes. If the venue fails, or what they pledged cannot be sold in time, you can lose money. When most of it is lent out, a withdrawal waits.',
  },
  liquidity_provision: {
    label: 'Liquidity provision',
    risk: 'higher',
    aprLabel: 'Fee APR',
    riskText:
      'Your USDC is the other side of bets that traders make with borrowed money. You earn about 60% of their fees, and you lose what they win. The value can fall below what you paid in, and the rate can be 0.00%.',
  },
} as const satisfies Record<EarnStrategy, { label: string; risk: 'lower' | 'higher'; aprLabel: string; riskText: string }>;

/** A withdrawal that waits is a claim on units, not on an amount. */
export const queuedNote =
  'Your shares are taken out of the pool. Your part stays in the venue until it has USDC free: it keeps earning and losing until it is paid. A further withdrawal joins this one, and the whole goes to the end of the queue.';

interface DepositWords {
  readonly status: EarnDepositStatus;
  readonly amountMicros: bigint;
  readonly label: string;
  readonly reason: string | null;
}

const money = (micros: bigint) => `${formatUsd(micros)} USDC`;
const because = (reason: string | null) => (reason === null || reason === '' ? '' : ` Reason: ${reason.replace(/\.$/, '')}.`);

export function depositSentence({ status, amountMicros, label, reason }: DepositWords): string {
  const amount = money(amountMicros);
  switch (status) {
    case 'received':
      return `We received ${amount} and will deposit it into ${label} when the transfer is final.`;
    case 'deploying':
      return `${amount} is on its way into ${label}.`;
    case 'deployed':
      return `${amount} is in ${label} and belongs to your position.`;
    case 'refunding':
      return `${label} did not take the deposit. ${amount} is on its way back to the wallet it came from.${because(reason)}`;
    case 'refunded':
      return `${amount} went back to the wallet it came from.${because(reason)}`;
    case 'held':
      return `We hold ${amount} safely for you; an operator decides what happens next.${because(reason)}`;
  }
}

interface WithdrawalWords {
  readonly status: EarnWithdrawalStatus;
  readonly label: string;
  /** 1 is the head of the queue; null for a withdrawal outside it. */
  readonly place: number | null;
  readonly paidMicros: bigint;
  readonly receivedMicros: bigint;
}

export function withdrawalSentence({ status, label, place, paidMicros, receivedMicros }: WithdrawalWords): string {
  const paid =
    receivedMicros > 0n ? ` ${money(receivedMicros)} of it ${receivedMicros === paidMicros ? 'was paid' : 'is on its way'} already.` : '';
  switch (status) {
    case 'queued':
      return place === 1
        ? `You are first in the queue of ${label}. We pay as soon as it has USDC free.${paid}`
        : `You are number ${place ?? '?'} in the queue of ${label}. We pay in this order as it has USDC free.${paid}`;
    case 'redeeming':
      return `We are taking your part out of ${label} now.${paid}`;
    case 'paying':
      return `${label} paid ${money(receivedMicros)}. It is on its way to your wallet.`;
    case 'settled':
      return `${money(receivedMicros)} was paid to your wallet.`;
  }
}

export const notDepositableReasons = {
  deposits_closed: 'The operator closed deposits.',
  impaired: 'The venue holds less than the book says. Deposits wait until an operator has looked at it.',
  paused: 'The venue has paused deposits.',
  full: 'The venue takes no further deposits now.',
  unreadable: 'The venue cannot be read now.',
  worthless: 'The shares of this vault stand for nothing.',
} as const;
export type NotDepositableReason = keyof typeof notDepositableReasons;
