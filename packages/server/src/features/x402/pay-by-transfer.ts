/** Paid with a transfer made beforehand. Its reference is public, so what it buys belongs to who paid on chain, whoever presents it. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import { refuseBannedWallet } from '../../access/refuse-banned.ts';
import { provenWallets } from '../orders/index.ts';
import { type PaymentRequest, type VerifiedPayment, verifyPayment } from '../payments/index.ts';
import { challenge } from './challenge.ts';
import type { PresentedPayment } from './classify-payment.ts';
import { meantForOther } from './meant-for-other.ts';
import type { Bought, Price, Purchase } from './purchase.ts';
import { recordPurchase, refusalOf } from './record-purchase.ts';
import { findPurchase, type PurchaseRow } from './repository.ts';
import type { X402Context } from './x402-context.ts';

const MAX_PROOF_SECONDS = 3600;

type Transfer = Extract<PresentedPayment, { kind: 'transfer' }>;

export async function payByTransfer(
  context: X402Context,
  caller: Caller,
  purchase: Purchase,
  { network, reference: text }: Transfer,
): Promise<Bought> {
  const chain = context.chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const key = { caip2: chain.caip2, reference };

  const before = await findRepeated(context, purchase, key);
  if (before !== undefined) return forPresenter(caller, before);
  await purchase.requireOnOffer();
  const { payment, price } = await verifyAtHonouredPrice(context, purchase, { network, reference });
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  const { payer } = payment.judged;
  await refuseBannedWallet(context.database.db, payer);
  purchase.requireBuyer(payer, 'transfer');
  try {
    const { purpose, fingerprint } = purchase;
    const request = purchase.pack({ payer, price, via: 'transfer' });
    const made = await context.database.transaction((tx) =>
      recordPurchase(tx, context, payment, { purpose, fingerprint, request, settledVia: 'transfer' }),
    );
    return forPresenter(caller, made);
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'payment_already_used') throw refusalOf(error) ?? error;
    // Somebody was faster; if it was this very request, its answer is this one's too.
    const meanwhile = await findRepeated(context, purchase, key);
    if (meanwhile === undefined) throw error;
    return forPresenter(caller, meanwhile);
  }
}

/** Only the wallet that paid gets what acts for it. Whoever else presents its reference may know the name of what it bought. */
function forPresenter(caller: Caller, row: PurchaseRow): Bought {
  return { row, withSecrets: provenWallets(caller, row.caip2).includes(row.payer), headers: {} };
}

async function findRepeated(
  context: X402Context,
  { fingerprint }: Purchase,
  key: { caip2: string; reference: string },
): Promise<PurchaseRow | undefined> {
  const row = await findPurchase(context.database.db, key);
  if (row !== undefined && !row.fingerprint.equals(fingerprint)) throw meantForOther(row);
  return row;
}

/** Today's price first; a transfer too small for it may be the one that was asked for a moment ago. */
async function verifyAtHonouredPrice(
  context: X402Context,
  purchase: Purchase,
  at: Pick<PaymentRequest, 'network' | 'reference'>,
): Promise<{ payment: VerifiedPayment; price: Price }> {
  const { prices, purpose, subjectId, payableSince } = purchase;
  for (const [index, price] of prices.entries()) {
    try {
      const payment = await verifyPayment(context, {
        ...at,
        purpose,
        subjectId,
        expectedMicros: price.amountMicros,
        payableSince,
        maxAgeSeconds: MAX_PROOF_SECONDS,
      });
      return { payment, price };
    } catch (error) {
      const isLast = index === prices.length - 1;
      if (!isLast && error instanceof MarketError && error.code === 'payment_underpaid') continue;
      throw asChallenge(context, purchase, error);
    }
  }
  throw new Error('what can be bought has a price');
}

/** What the chain does not show, or not yet, is told as a new challenge: nothing was used up. */
function asChallenge(context: X402Context, purchase: Purchase, error: unknown): unknown {
  if (!(error instanceof MarketError) || !(rejections as readonly string[]).includes(error.code)) return error;
  const retry = error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) };
  return challenge(context, purchase.thing, purchase.challenge, {
    code: 'payment_rejected',
    message: `Payment verification failed: ${error.message}`,
    headers: retry,
  });
}

const rejections = [
  'payment_not_found',
  'payment_failed',
  'payment_not_received',
  'payment_underpaid',
  'payment_too_old',
  'payment_not_final',
  'payment_from_marketplace',
  'payment_wrong_payer',
] as const;
