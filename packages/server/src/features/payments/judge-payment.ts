/** Pure check of a transfer: amount, payer, age and finality. */

import { formatUsd, MarketError } from '@market/contract';
import type { Finality, Receipt, ReceiptReading } from '../../platform/chains/chain.ts';
import { smaller } from '../../platform/larger-and-smaller.ts';

export interface PaymentRule {
  readonly expectedMicros: bigint;
  /** Wallets the money may come from; absent if the payer is the buyer. */
  readonly payers?: readonly string[];
  /** Whether the transfer names the purchase itself: then any payer will do. */
  readonly isNamed?: (receipt: Receipt) => boolean;
  /** The time at which the purchase became payable. */
  readonly payableSince: Date;
  /** Oldest acceptable transfer, in seconds before now; absent means only `payableSince` counts. */
  readonly maxAgeSeconds?: number;
  readonly requiredFinality: Finality;
  /** Addresses of ours, whose transfers pay for nothing. */
  readonly ownAddresses: readonly string[];
  /** Addresses from which we relay payments of others. A relayed transfer belongs to its payment. */
  readonly relayers: readonly string[];
  /** This is a relayed payment. */
  readonly relayedByUs?: boolean;
}

export interface JudgedPayment {
  readonly receipt: Receipt;
  readonly payer: string;
  /** The surplus of this payer alone. */
  readonly surplusMicros: bigint;
  /** Other wallets that paid us in the same transaction, and `UNKNOWN_PAYER` for the rest: we owe them these amounts. */
  readonly others: readonly Giver[];
}

/** Clocks of chains and ours differ a little, and people pay before they press the button. */
const AGE_TOLERANCE_MS = 10 * 60_000;
const RETRY_SECONDS = 3;
const rank: Record<Finality, number> = { seen: 0, confirmed: 1, final: 2 };

export function judgePayment(reading: ReceiptReading, rule: PaymentRule, now: Date): JudgedPayment {
  if (reading.state === 'missing') {
    throw reading.inBlock === true
      ? new MarketError('payment_not_final', notFinal('seen', rule.requiredFinality))
      : new MarketError('payment_not_found', { retryAfterSeconds: RETRY_SECONDS });
  }
  if (reading.state === 'failed') throw new MarketError('payment_failed');
  const { receipt } = reading;
  if (receipt.receivedMicros <= 0n) throw new MarketError('payment_not_received');
  if (rule.relayedByUs !== true && rule.relayers.includes(receipt.sender)) throw new MarketError('payment_already_used');

  // A transfer that the treasury itself sent for, for example from a venue, is nobody's payment.
  if (rule.relayedByUs !== true && rule.ownAddresses.includes(receipt.sender)) throw new MarketError('payment_from_marketplace');

  const payer = findPayer(receipt, rule);
  requireAmount(receipt, payer, rule);
  requireAge(receipt, rule, now);
  if (rank[receipt.finality] < rank[rule.requiredFinality]) throw new UnfinalPayment(receipt.finality, rule.requiredFinality);
  const counted = countedFor(receipt, payer);
  const givers = receipt.payers.filter(({ address }) => address !== payer.address);
  // Money without a payer, for example from a bridge, belongs to no wallet that the transaction names.
  const unnamed = receipt.receivedMicros - sumOf(givers) - counted;
  const others = unnamed === 0n ? givers : [...givers, { address: UNKNOWN_PAYER, micros: unnamed }];
  return { receipt, payer: payer.address, surplusMicros: counted - rule.expectedMicros, others };
}

/** Stands for the payer of money that names no payer, or several. */
export const UNKNOWN_PAYER = 'unknown';

/** This transfer pays as soon as it is final enough: nothing else is wrong with it. */
export class UnfinalPayment extends MarketError {
  constructor(finality: Finality, required: Finality) {
    super('payment_not_final', notFinal(finality, required));
  }
}

function notFinal(finality: Finality, required: Finality) {
  return { retryAfterSeconds: RETRY_SECONDS, data: { finality, required } };
}

/** The money came from other wallets than the caller may pay from. */
export class WrongPayer extends MarketError {
  readonly payer: string;

  constructor(payer: string) {
    super('payment_wrong_payer', { data: { payer } });
    this.payer = payer;
  }
}

export type Giver = Receipt['payers'][number];

/** The payer: the caller's wallet if one is required, otherwise the wallet that gave most. */
function findPayer(receipt: Receipt, rule: PaymentRule): Giver {
  const givers = [...receipt.payers].sort((a, b) => (a.micros === b.micros ? 0 : a.micros > b.micros ? -1 : 1));
  const { payers } = rule;
  const [most] = givers;
  if (most === undefined) throw new MarketError('payment_wrong_payer');
  const payer = payers === undefined ? most : givers.find(({ address }) => payers.includes(address));
  if (payer === undefined && rule.isNamed?.(receipt) !== true) throw new WrongPayer(most.address);
  return requireForeign(payer ?? most, rule);
}

function requireForeign(payer: Giver, rule: PaymentRule): Giver {
  if (rule.ownAddresses.includes(payer.address)) throw new MarketError('payment_from_marketplace');
  return payer;
}

/**
 * The payer alone must have paid the price. A transaction may hold several payments, and money of others in it could be what we
 * received. So only the amount that cannot have come from others counts for the payer.
 */
export function countedFor(receipt: Receipt, payer: Giver): bigint {
  const byOthers = sumOf(receipt.payers.filter(({ address }) => address !== payer.address));
  return smaller(payer.micros, receipt.receivedMicros - byOthers);
}

function requireAmount(receipt: Receipt, payer: Giver, rule: PaymentRule): void {
  const counted = countedFor(receipt, payer);
  if (counted >= rule.expectedMicros) return;
  throw new MarketError('payment_underpaid', {
    message: `This transfer brought ${formatUsd(counted)} USDC from you, the price is ${formatUsd(rule.expectedMicros)} USDC. It was not used up.`,
    data: { expected_usd: formatUsd(rule.expectedMicros), received_usd: formatUsd(counted) },
  });
}

export function sumOf(givers: readonly Giver[]): bigint {
  return givers.reduce((sum, { micros }) => sum + micros, 0n);
}

function requireAge(receipt: Receipt, rule: PaymentRule, now: Date): void {
  const paidAt = receipt.blockTime.getTime();
  const tooEarly = paidAt < rule.payableSince.getTime() - AGE_TOLERANCE_MS;
  const tooOld = rule.maxAgeSeconds !== undefined && now.getTime() - paidAt > rule.maxAgeSeconds * 1000;
  if (tooEarly || tooOld) throw new MarketError('payment_too_old');
}
