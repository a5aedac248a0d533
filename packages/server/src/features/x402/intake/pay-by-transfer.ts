/**
 * Pays with a transfer that was made beforehand. Its reference is public, so the purchase belongs to the wallet that paid on chain.
 * `features/payments` judges who may spend it.
 */
import { MarketError, type NetworkName } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { refuseBannedWallet } from '../../../access/refuse-banned.ts';
import {
  asPresenter,
  createReference,
  findClaim,
  maySpendFrom,
  namesPurchase,
  noteStoredAnswer,
  type PaymentRequest,
  type Presenter,
  proveClaim,
  provesPayer,
  requireVoucher,
  type Spending,
  type VerifiedPayment,
  verifyPayment,
} from '../../payments/index.ts';
import { recordPurchase, refusalOf } from '../goods/record-purchase.ts';
import { challenge } from '../offers/challenge.ts';
import type { X402Context } from '../x402-context.ts';
import type { PresentedTransfer } from './classify-payment.ts';
import { paymentForOtherRequest } from './payment-for-other-request.ts';
import { type AnswerPurchase, isForPayer, type Price, type Purchase, type PurchaseResult } from './purchase.ts';
import { findPurchase, type PurchaseRow } from './repository.ts';

/** A transfer that is older pays for nothing. */
export const MAX_PROOF_SECONDS = 3600;

export async function payByTransfer<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  purchase: Purchase,
  { network, reference: text }: PresentedTransfer,
  answer: AnswerPurchase<A>,
): Promise<A> {
  const { caller } = call;
  const { db } = context.database;
  const chain = context.chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const key = { caip2: chain.caip2, reference };

  const presenter = await asPresenter(db, caller, network);
  const asked = { context, call, purchase, presenter, network, key };
  const before = await findRepeated(asked);
  if (before !== undefined) return await answer(db, await repeatedFor(asked, before));
  await purchase.requireOnOffer();
  try {
    return await buy(asked, answer);
  } catch (error) {
    if (!isOvertaken(error)) throw refusalOf(error) ?? error;
    // Another request was faster. If it was the same request, it has this one's answer.
    const meanwhile = await findRepeated(asked);
    if (meanwhile === undefined) throw error;
    return await answer(db, await repeatedFor(asked, meanwhile));
  }
}

/** Stores answer and purchase together: after a crash the Idempotency-Key finds both, secrets included. */
async function buy<A extends { readonly data: unknown }>(asked: Asked, answer: AnswerPurchase<A>): Promise<A> {
  const { context, call, purchase, presenter } = asked;
  const { payment, price } = await verifyAtHonouredPrice(asked);
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  const { payer } = payment.judged;
  await refuseBannedWallet(context.database.db, payer);
  const paid = { payer, network: asked.network, via: 'transfer' } as const;
  await purchase.requireBuyer(paid);
  const { purpose, fingerprint } = purchase;
  const request = purchase.pack({ ...paid, price });
  return await call.commit(async (tx) => {
    const row = await recordPurchase(tx, context, payment, { purpose, fingerprint, request, settledVia: 'transfer' });
    if (payment.proof === 'bare' && call.keyed !== undefined) await noteStoredAnswer(tx, row, call.keyed.name);
    return await answer(tx, { row, recipient: maySpendFrom(presenter, row.payer) ? 'payer' : 'first', headers: {} });
  });
}

/** Another request spent the transfer, or its purchase made the wallet a known one. */
function isOvertaken(error: unknown): boolean {
  return error instanceof MarketError && (error.code === 'payment_already_used' || error.code === 'payment_reserved');
}

/** One request with its transfer. */
interface Asked {
  readonly context: X402Context;
  readonly call: Call;
  readonly purchase: Purchase;
  readonly presenter: Presenter;
  readonly network: NetworkName;
  readonly key: { readonly caip2: string; readonly reference: string };
}

/** A repetition shows secrets only to a signature of the wallet that paid. Others learn the id of the purchase. */
async function repeatedFor({ context, call, network }: Asked, row: PurchaseRow): Promise<PurchaseResult> {
  const isPayer = await isForPayer(context.database.db, row, call.caller, network);
  return { row, recipient: isPayer ? 'payer' : 'other', headers: {} };
}

/** The purchase that this transfer already made with this request; undefined where the transfer may still be spent. */
async function findRepeated({ context, call, purchase, presenter, network, key }: Asked): Promise<PurchaseRow | undefined> {
  const { db } = context.database;
  const row = await findPurchase(db, key);
  if (row === undefined) return undefined;
  const claim = await findClaim(db, key);
  const spendings = purchase.prices.map((price) => spendingOf(context, purchase, presenter, price));
  const isPayers =
    claim !== undefined && (await Promise.all(spendings.map((spending) => provesPayer(context, claim, spending)))).includes(true);
  if (!row.fingerprint.equals(purchase.fingerprint)) {
    if (isPayers && claim.contestableUntil !== null) return undefined;
    throw paymentForOtherRequest(row);
  }
  if (!isPayers) return row;
  // The payer repeats the request, which proves the claim and replaces the secrets of the first answer.
  await context.database.transaction(async (tx) => {
    const { payer } = claim;
    const spending = { presenter, expectedMicros: claim.priceMicros };
    if (maySpendFrom(presenter, payer)) await requireVoucher(tx, context, { network, key, payer, spending });
    await proveClaim(tx, context, claim, network, call.caller);
  });
  return await findPurchase(db, key);
}

function spendingOf({ secrets, clock }: X402Context, { purpose, fingerprint }: Purchase, presenter: Presenter, price: Price): Spending {
  const { amountMicros, offeredSince } = price;
  const named = { purpose, amountMicros, fingerprint };
  return {
    presenter,
    offeredSince,
    isNamedBy: (note, paidAt) => namesPurchase(secrets, named, note, paidAt),
    createReference: () => createReference(secrets, named, clock.now()),
  };
}

/** Tries today's price first. A transfer too small or too old for it may match the price shown a moment ago. */
async function verifyAtHonouredPrice({
  context,
  call,
  purchase,
  presenter,
  network,
  key,
}: Asked): Promise<{ payment: VerifiedPayment; price: Price }> {
  const { prices, purpose, subjectId, payableSince } = purchase;
  const at: Pick<PaymentRequest, 'network' | 'reference'> = { network, reference: key.reference };
  let refusal: unknown;
  for (const price of prices) {
    try {
      const payment = await verifyPayment(context, {
        ...at,
        ...spendingOf(context, purchase, presenter, price),
        purpose,
        subjectId,
        expectedMicros: price.amountMicros,
        payableSince,
        maxAgeSeconds: MAX_PROOF_SECONDS,
        gone: call.gone,
      });
      return { payment, price };
    } catch (error) {
      refusal ??= error;
      if (!isAboutPrice(error)) throw asChallenge(context, purchase, error);
    }
  }
  throw asChallenge(context, purchase, refusal);
}

function isAboutPrice(error: unknown): boolean {
  return error instanceof MarketError && (error.code === 'payment_underpaid' || error.code === 'offer_newer_than_payment');
}

/** Answers a transfer that the chain does not show with a new challenge. Nothing was used up. */
function asChallenge(context: X402Context, purchase: Purchase, error: unknown): unknown {
  if (!(error instanceof MarketError) || !(rejections as readonly string[]).includes(error.code)) return error;
  const retry = error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) };
  return challenge(context, purchase.offer, purchase.challenge, {
    code: 'payment_rejected',
    cause: error.code,
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
