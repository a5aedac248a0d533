/**
 * Pays with a transfer that was made beforehand. Its reference is public, so the purchase belongs to the wallet that paid on chain.
 * `features/payments` judges who may spend it.
 */
import { MarketError, type NetworkName } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { refuseBannedWallet } from '../../../access/refuse-banned.ts';
import { isRefusal } from '../../../platform/is-refusal.ts';
import { setClientAgent } from '../../orders/index.ts';
import {
  asPresenter,
  createReference,
  findClaim,
  isNamed,
  isPresenterUnproven,
  maySpendFrom,
  namesPurchase,
  noteStoredAnswer,
  type PaymentRequest,
  type Presenter,
  proveClaim,
  provesPayer,
  readReceipt,
  requireVoucher,
  type Spending,
  type VerifiedPayment,
  verifyPayment,
} from '../../payments/index.ts';
import { isForPayer } from '../contests/is-for-payer.ts';
import { paymentForOtherRequest } from '../contests/payment-for-other-request.ts';
import { askerOf, challenge } from '../offers/challenge.ts';
import type { AnswerPurchase, Price, Purchase, PurchaseResult } from '../product.ts';
import { products } from '../products.ts';
import type { X402Context } from '../x402-context.ts';
import type { PresentedTransfer } from './read-payment.ts';
import { findPurchase, type PurchaseRow } from './repository.ts';

/** An older transfer pays for nothing. */
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
    return await spend(asked, answer);
  } catch (error) {
    // Another request spent the transfer, or its purchase made the wallet a known one.
    const isOvertaken = isRefusal(error, 'payment_already_used', 'payment_reserved');
    if (!isOvertaken) throw products[purchase.purpose].giveBack?.refusalOf(error) ?? error;
    // If it was the same request, it has this one's answer.
    const meanwhile = await findRepeated(asked);
    if (meanwhile === undefined) throw error;
    return await answer(db, await repeatedFor(asked, meanwhile));
  }
}

/** Stores answer and purchase together: after a crash the Idempotency-Key finds both, secrets included. */
async function spend<A extends { readonly data: unknown }>(asked: Asked, answer: AnswerPurchase<A>): Promise<A> {
  const { context, call, purchase, presenter } = asked;
  const { payment, price } = await verifyAtHonouredPrice(asked);
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  const { payer } = payment.judged;
  await refuseBannedWallet(context.database.db, payer);
  const paid = { payer, network: asked.network, via: 'transfer' } as const;
  await purchase.requireBuyer?.(paid);
  const { purpose, fingerprint } = purchase;
  const request = purchase.pack({ ...paid, price });
  return await call.commit(async (tx) => {
    const row = await products[purpose].record(tx, context, payment, { purpose, fingerprint, request, settledVia: 'transfer' });
    if (isPresenterUnproven(payment) && call.keyed !== undefined) await noteStoredAnswer(tx, row, call.keyed.name);
    return await answer(tx, { row, recipient: maySpendFrom(presenter, row.payer) ? 'payer' : 'first', headers: {} });
  });
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

interface Repeated {
  readonly row: PurchaseRow;
  /** The transfer names this caller, and a stranger had presented it before. */
  readonly isNamed: boolean;
}

/**
 * A repetition shows secrets only to a signature of the wallet that paid, and a new agent's key to whom the transfer names. Others learn the
 * id of the purchase.
 */
async function repeatedFor({ context, call, network }: Asked, { row, isNamed }: Repeated): Promise<PurchaseResult> {
  const isPayer = (isNamed && row.purpose === 'registration') || (await isForPayer(context.database.db, row, call.caller, network));
  return { row, recipient: isPayer ? 'payer' : 'other', headers: {} };
}

/** The purchase that this transfer already made with this request; undefined where the transfer may still be spent. */
async function findRepeated({ context, call, purchase, presenter, network, key }: Asked): Promise<Repeated | undefined> {
  const { db } = context.database;
  const row = await findPurchase(db, key);
  if (row === undefined) return undefined;
  const claim = await findClaim(db, key);
  const isSame = row.fingerprint.equals(purchase.fingerprint);
  const spendings = purchase.prices
    .map((price) => spendingOf(context, purchase, presenter, price))
    .map((spending) => (isSame ? withoutCommonName(spending) : spending));
  const isPayers =
    claim !== undefined && (await Promise.all(spendings.map((spending) => provesPayer(context, claim, spending)))).includes(true);
  if (!isSame) {
    if (isPayers && claim.contestableUntil !== null) return undefined;
    throw paymentForOtherRequest(row);
  }
  if (!isPayers) return { row, isNamed: false };
  const byName = !maySpendFrom(presenter, claim.payer);
  // The payer repeats the request, which proves the claim and replaces the secrets of the first answer.
  await context.database.transaction(async (tx) => {
    const { payer } = claim;
    const spending = { presenter, expectedMicros: claim.priceMicros };
    if (!byName) await requireVoucher(tx, context, { network, key, payer, spending });
    await proveClaim(tx, context, claim, network, call.caller, byName ? 'reference' : 'wallet');
    if (byName && row.purpose === 'x402' && call.caller.agent !== undefined) await setClientAgent(tx, row.subjectId, call.caller.agent.id);
  });
  const proven = await findPurchase(db, key);
  return proven && { row: proven, isNamed: byName };
}

/**
 * Ignores a reference that everybody could ask for. Repeating the request with it proves nothing: the provider itself knows the request.
 */
function withoutCommonName({ isNamedBy, ...spending }: Spending): Spending {
  return spending.isAskedByAnybody === true || isNamedBy === undefined ? spending : { ...spending, isNamedBy };
}

function spendingOf({ secrets, clock }: X402Context, { purpose, fingerprint }: Purchase, presenter: Presenter, price: Price): Spending {
  const { amountMicros, offeredSince } = price;
  const asker = askerOf(presenter.caller);
  const named = { purpose, amountMicros, fingerprint, asker };
  return {
    presenter,
    offeredSince,
    isAskedByAnybody: asker === null,
    isNamedBy: (note, paidAt) => namesPurchase(secrets, named, note, paidAt),
    createReference: () => createReference(secrets, named, clock.now()),
  };
}

/** The prices in the order to try: the one that the transfer names, then today's. */
async function pricesToTry({ context, purchase, presenter, network, key }: Asked): Promise<readonly Price[]> {
  const { prices } = purchase;
  const chain = context.chains.get(network);
  if (prices.length < 2 || chain === undefined) return prices;
  const reading = await readReceipt(chain, key.reference);
  if (reading.state !== 'landed') return prices;
  const named = prices.filter((price) => isNamed(spendingOf(context, purchase, presenter, price), reading.receipt));
  return [...named, ...prices.filter((price) => !named.includes(price))];
}

/** A transfer too small or too old for today's price may match the price shown a moment ago. */
async function verifyAtHonouredPrice(asked: Asked): Promise<{ payment: VerifiedPayment; price: Price }> {
  const { context, call, purchase, presenter, network, key } = asked;
  const { purpose, subjectId, payableSince } = purchase;
  const at: Pick<PaymentRequest, 'network' | 'reference'> = { network, reference: key.reference };
  let refusal: unknown;
  for (const price of await pricesToTry(asked)) {
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
      if (!isRefusal(error, 'payment_underpaid', 'offer_newer_than_payment')) throw asChallenge(context, purchase, error);
    }
  }
  throw asChallenge(context, purchase, refusal);
}

/** Answers a transfer that the chain does not show with a new challenge. Nothing was used up. */
function asChallenge(context: X402Context, purchase: Purchase, error: unknown): unknown {
  if (!isRefusal(error, ...rejections)) return error;
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
