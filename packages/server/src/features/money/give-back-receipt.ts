/** Sends an unclaimed transfer back to its payer. A claim with the purpose `refund` ensures that it goes back once and buys nothing. */
import { MarketError, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { refundPayable } from '../ledger/index.ts';
import { findReceipt, readReceipt, refuseSpentBefore, type TransferKey, takeReceipt, UNKNOWN_PAYER } from '../payments/index.ts';
import { type PayoutRow, queuePayout } from '../payouts/index.ts';

interface GivingContext {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
}

type Receipt = NonNullable<Awaited<ReturnType<typeof findReceipt>>>;

/** A transfer that came from outside, as its chain shows. */
export interface ForeignTransfer extends TransferKey {
  readonly network: NetworkName;
}

/**
 * Asks the chain, so call it before any transaction. Money that a treasury fetched itself, such as a redemption of Earn, has no payer. Sent
 * back, it would stay in a contract.
 */
export async function requireForeignTransfer(
  { chains }: Pick<GivingContext, 'chains'>,
  { network, reference: text }: { readonly network: NetworkName; readonly reference: string },
): Promise<ForeignTransfer> {
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const reading = await readReceipt(chain, reference, { notesKnown: true });
  if (reading.state === 'landed' && reading.receipt.sender === chain.treasury) throw new MarketError('payment_from_marketplace');
  return { network, caip2: chain.caip2, reference };
}

/** `check` throws when this is not the transfer that the operator meant. */
export async function giveBackReceipt(
  tx: Tx,
  context: GivingContext,
  { network, ...key }: ForeignTransfer,
  check: (receipt: Receipt) => void = () => undefined,
): Promise<PayoutRow> {
  const { reference } = key;
  const receipt = await findReceipt(tx, key);
  if (receipt === undefined) throw new MarketError('payment_not_found');
  check(receipt);
  // Minted coins and token accounts with a new owner have no payer to refund.
  if (receipt.payer === UNKNOWN_PAYER) throw new MarketError('payer_unknown');
  if (receipt.finality !== 'final') throw new MarketError('payment_not_final', { retryAfterSeconds: 5 });
  const subjectId = `${key.caip2}/${key.reference}`;
  const from = refundPayable(network, subjectId);
  const { payer, receivedMicros: amountMicros } = receipt;
  await refuseSpentBefore(tx, context, { ...key, network, purpose: 'refund', payer, priceMicros: amountMicros }, 0n);
  await takeReceipt(tx, context, {
    key,
    network,
    purpose: 'refund',
    subjectId,
    payer,
    amountMicros,
    priceMicros: amountMicros,
    proof: 'operator',
    contestableUntil: null,
    creditTo: from,
  });
  return await queuePayout(tx, {
    purpose: 'refund',
    subjectId,
    paidBy: { network, reference },
    network,
    destination: payer,
    amountMicros,
    from,
  });
}
