/**
 * Pays with a signature: a standard x402 payment, of either version. We claim its key before we broadcast it, and make the purchase after
 * the money moved. An unknown outcome answers 503, never 402: a client that gets 402 pays again.
 */
import { MarketError, type NetworkName } from '@market/contract';
import { noteProvenWallet } from '../../../access/authority/known-wallets-repository.ts';
import type { Call } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { priceRose } from '../../../access/spend-guard.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { requireVoucher } from '../../payments/index.ts';
import { requirePayer, type VoucherNeeded } from '../contests/copied-payment.ts';
import { isForPayer } from '../contests/is-for-payer.ts';
import { paymentForOtherRequest } from '../contests/payment-for-other-request.ts';
import type { Purchase, PurchaseResult, Recipient } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import { type Finished, finishPayment } from './finish.ts';
import { judgeStandardPayment, rejected, type StandardVerdict } from './judge-standard-payment.ts';
import { namesOf } from './name-payment.ts';
import type { PresentedStandard } from './read-payment.ts';
import { receiptHeader, settledReceipt } from './receipts.ts';
import {
  claimPaymentKey,
  dropOldIdentifiers,
  findPayment,
  type Identifier,
  listIdentified,
  type PaymentKey,
  type PaymentRow,
} from './repository.ts';

/** One request with its standard payment. */
interface Attempt {
  readonly context: X402Context;
  readonly caller: Caller;
  /** Aborts when the client hangs up. */
  readonly gone: AbortSignal;
  readonly maxMicros: bigint | undefined;
  readonly purchase: Purchase;
  readonly presented: PresentedStandard;
  readonly key: PaymentKey;
  readonly identifier: Identifier | undefined;
  /** The payment itself proves its payer. */
  readonly isPayer: boolean;
  /** This request claimed the payment, before anybody could copy it from the chain. */
  readonly isMaker: boolean;
}

export async function payBySignature(
  context: X402Context,
  call: Call,
  purchase: Purchase,
  presented: PresentedStandard,
): Promise<PurchaseResult> {
  const { caller, gone, maxMicros } = call;
  const names = namesOf(context, call, presented);
  const attempt: Attempt = { context, caller, gone, maxMicros, purchase, presented, ...names, isPayer: true, isMaker: false };
  const known = await findPayment(context.database.db, names.key);
  if (known !== undefined && known.state !== 'failed') return await continuePayment(attempt, known);
  return (await repeatByIdentifier(attempt)) ?? (await payNew(attempt, known));
}

/** A new payment under an identifier used before gets the earlier purchase; nothing is charged again. */
async function repeatByIdentifier(attempt: Attempt): Promise<PurchaseResult | undefined> {
  const { context, purchase, presented, identifier } = attempt;
  const { db } = context.database;
  if (identifier === undefined || (await listIdentified(db, identifier)).length === 0) return undefined;
  const verdict = await judgeStandardPayment(context, purchase, presented);
  if (verdict.valid && verdict.landedIn === undefined) return await repeatOfPayer(attempt, identifier, verdict.payer);
  const [same, ...others] = await listIdentified(db, identifier, { fingerprint: purchase.fingerprint });
  if (same === undefined || others.length > 0) return undefined;
  // A payment that we would refuse, or that is public, proves no payer: its sender sees the purchase without secrets. A key may prove the caller.
  return await continuePayment({ ...attempt, identifier: identifier.isKeyed ? identifier : undefined, isPayer: false }, same);
}

/** Finds the earlier purchase under an identifier. A key names the caller, who may pay from several wallets. */
async function repeatOfPayer(attempt: Attempt, identifier: Identifier, payer: string): Promise<PurchaseResult | undefined> {
  const [own] = await listIdentified(attempt.context.database.db, identifier, identifier.isKeyed ? {} : { payer });
  return own && (await continuePayment(attempt, own));
}

async function payNew(attempt: Attempt, failed: PaymentRow | undefined): Promise<PurchaseResult> {
  const { context, caller, purchase, presented, key, maxMicros } = attempt;
  const { network } = presented;
  await purchase.requireOnOffer();
  // Only a new payment needs a sponsor for its fee; earlier ones continue without.
  if (!context.facilitator.networks.includes(network)) throw notOffered(context, network);
  const verdict = await judgeStandardPayment(context, purchase, presented);
  if (!verdict.valid) throw verdict.refusal;
  // A copy of this request may have settled it while we asked the chain.
  const known = verdict.landedIn === undefined ? failed : await findPayment(context.database.db, key);
  if (known !== undefined && known.state !== 'failed') return await continuePayment(attempt, known);
  // The price went up after the spend policies were asked.
  if (maxMicros !== undefined && verdict.honoured.price.amountMicros > maxMicros) throw priceRose();
  const voucher = await requirePayer(context, { caller, presented, key, purchase, verdict, failed: known });
  const claimed = await claim(attempt, verdict, voucher);
  reachCrashPoint('x402.after_claim');
  if (claimed === 'identifier_taken') return await joinConcurrent(attempt, verdict.payer);
  const row = await findPayment(context.database.db, key);
  if (row === undefined) throw new Error(`payment ${key.alias} vanished`);
  if (claimed === 'payment_taken') return await continuePayment(attempt, row);
  return await answerFor({ ...attempt, isMaker: true }, row, await finish(attempt, row));
}

/** A node that is away, or a sponsor without coins, comes back: the same payment may then be presented again. */
function notOffered({ facilitator }: X402Context, network: NetworkName): MarketError {
  return facilitator.supports(network)
    ? new MarketError('chain_unavailable', { retryAfterSeconds: 5 })
    : new MarketError('network_not_available');
}

/** Another payment under the same identifier was claimed a moment ago. */
async function joinConcurrent(attempt: Attempt, payer: string): Promise<PurchaseResult> {
  const result = attempt.identifier && (await repeatOfPayer(attempt, attempt.identifier, payer));
  // The other payment has failed since.
  if (result === undefined) throw new MarketError('payment_pending', { retryAfterSeconds: 1 });
  return result;
}

type Claimed = 'ours' | 'payment_taken' | 'identifier_taken';

/** Claims the payment's key and the client's identifier together. */
async function claim(
  { context, purchase, presented, key, identifier }: Attempt,
  { honoured: { requirement, price }, payer }: Extract<StandardVerdict, { valid: true }>,
  voucher: VoucherNeeded | undefined,
): Promise<Claimed> {
  const { network } = presented;
  try {
    return await context.database.transaction(async (tx) => {
      if (voucher !== undefined) {
        const { presenter, reference } = voucher;
        const spending = { presenter, expectedMicros: price.amountMicros };
        await requireVoucher(tx, context, { network, key: { caip2: key.caip2, reference }, payer, spending });
      }
      if (identifier?.isKeyed === true) await dropOldIdentifiers(tx, identifier);
      const isOurs = await claimPaymentKey(tx, {
        ...key,
        network,
        purpose: purchase.purpose,
        subjectId: purchase.subjectId,
        fingerprint: purchase.fingerprint,
        request: JSON.stringify(purchase.pack({ payer, network, price, via: 'facilitator' })),
        version: presented.version,
        payload: JSON.stringify(presented.payload),
        requirement: JSON.stringify(requirement),
        amountMicros: price.amountMicros,
        payer,
        identifier: identifier?.spellings[0] ?? null,
      });
      if (!isOurs) return 'payment_taken';
      // The signature was checked, so the wallet counts as known from now on. While a facilitator settles this payment, a stranger must not
      // spend a transfer of the wallet by its public reference.
      await noteProvenWallet(tx, payer, 'payment');
      await enqueueJobs(tx, [reconcileJob(key, context.clock.now())]);
      return 'ours';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'x402_payments_identifier')) return 'identifier_taken';
    throw error;
  }
}

export const RECONCILE_PAYMENT = 'x402.reconcile';
/** The request itself needs about this long. */
const PATIENCE_MS = 15_000;

export function reconcileJob({ caip2, alias }: PaymentKey, now: Date) {
  return {
    kind: RECONCILE_PAYMENT,
    queue: 'x402',
    payload: { caip2, alias },
    uniqueKey: `${RECONCILE_PAYMENT}:${caip2}:${alias}`,
    runAt: new Date(now.getTime() + PATIENCE_MS),
  };
}

/** Continues a repeated payment: its answer when it is done, 503 while it is not, 409 when it was made for another request. */
async function continuePayment(attempt: Attempt, row: PaymentRow): Promise<PurchaseResult> {
  if (!row.fingerprint.equals(attempt.purchase.fingerprint)) {
    if (row.alias === attempt.key.alias) throw paymentForOtherRequest(row);
    throw new MarketError(attempt.identifier?.isKeyed === true ? 'idempotency_key_reused' : 'payment_identifier_reused');
  }
  return await answerFor(attempt, row, await finish(attempt, row));
}

/** A claimed payment may have been sent, so an error here answers 503 and never "failed". The reconciler continues with it. */
async function finish({ context, gone }: Attempt, row: PaymentRow): Promise<Finished> {
  try {
    return await finishPayment(context, row, gone);
  } catch (error) {
    if (error instanceof MarketError) throw error;
    context.log.error({ err: error, payment: row.alias }, 'a claimed payment could not be continued');
    return { state: 'unknown', reference: row.transaction ?? undefined };
  }
}

async function answerFor(attempt: Attempt, payment: PaymentRow, finished: Finished): Promise<PurchaseResult> {
  const { context, purchase, presented } = attempt;
  switch (finished.state) {
    case 'settled':
      return {
        row: finished.row,
        recipient: await recipientOf(attempt, payment, finished),
        headers: settledReceipt(context, purchase, presented, finished.row),
      };
    case 'unknown': {
      const receipt = { success: false, transaction: finished.reference ?? '', network: payment.caip2, errorReason: 'settlement_pending' };
      throw new MarketError('payment_pending', {
        retryAfterSeconds: 3,
        headers: receiptHeader(presented, receipt),
        data: { transaction: finished.reference ?? null },
      });
    }
    case 'failed':
      await purchase.requireOnOffer();
      throw rejected(context, purchase, presented, finished.reason, finished.message);
  }
}

/**
 * Anyone can present a payment that is on chain. So the payer's secrets are sent once; later only to callers with more proof. The repetition
 * of a hire that was not answered gets a token that reads. It may come from the provider, who has the request with the order, so it acts as
 * the buyer only if it made the order. A repeated registration gets nothing: the agent's page shows what its request said.
 */
async function recipientOf(
  { context, caller, presented, identifier, isPayer, isMaker }: Attempt,
  payment: PaymentRow,
  { row, isMade }: Extract<Finished, { state: 'settled' }>,
): Promise<Recipient> {
  const isUnanswered = row.toldAt === null && isPayer && row.purpose !== 'registration';
  const isFirst = row.toldAt === null && (isMaker || (isMade && isUnanswered));
  const isIdentified = identifier?.isProof === true && identifier.spellings.includes(payment.identifier ?? '');
  if (isFirst || isIdentified || (await isForPayer(context.database.db, row, caller, presented.network))) return 'payer';
  return isUnanswered ? 'unanswered' : 'other';
}
