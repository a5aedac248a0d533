/**
 * Paid by a standard x402 payment, of either version. Its name is claimed before anything is broadcast, the money moves before what it
 * buys exists for anyone, and an outcome that is not known is told as such: never as a reason to pay again.
 */
import { MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { type Caller, provenWallets } from '../../../access/caller.ts';
import { refuseBannedWallet } from '../../../access/refuse-banned.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { standardOffer } from '../offers/offers.ts';
import { signedReceipt } from '../offers/signed-offers.ts';
import type { X402Context } from '../x402-context.ts';
import { type Finished, finishPayment } from './finish-payment.ts';
import { judgeStandardPayment, type Presented, rejected, type StandardVerdict } from './judge-standard-payment.ts';
import { paymentForOtherRequest } from './payment-for-other-request.ts';
import { identifierOf } from './payment-identifier.ts';
import type { Purchase, PurchaseResult } from './purchase.ts';
import { receiptHeader } from './receipts.ts';
import { reconcileJob } from './reconcile-job.ts';
import { type AliasKey, claimAlias, findPayment, listIdentified, type PaymentRow, type PurchaseRow } from './repository.ts';

/** One request with its standard payment. */
interface Attempt {
  readonly context: X402Context;
  readonly caller: Caller;
  /** Aborts when the client hangs up. */
  readonly gone: AbortSignal;
  readonly purchase: Purchase;
  readonly presented: Presented;
  /** The client's own name for the payment. */
  readonly identifier: string | undefined;
  /** The payment itself says whose it is. */
  readonly isPayer: boolean;
}

export async function payByPayment(context: X402Context, call: Call, purchase: Purchase, presented: Presented): Promise<PurchaseResult> {
  const { caller, gone } = call;
  const attempt: Attempt = { context, caller, gone, purchase, presented, identifier: identifierOf(presented), isPayer: true };
  const key = nameOf(attempt);
  const known = await findPayment(context.database.db, key);
  if (known !== undefined && known.state !== 'failed') return await goOn(attempt, known);
  return (await repeatIdentified(attempt)) ?? (await payAnew(attempt, key));
}

/** It has nothing to do with the price: what was paid before is found whatever the thing costs or is now. */
function nameOf({ context, purchase, presented: { network, payload } }: Attempt): AliasKey {
  const chain = context.chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const anyOffer = standardOffer(chain, context.facilitator, purchase.offer.amountMicros);
  const alias = context.facilitator.identityOf({ network, payload, requirement: anyOffer });
  if (alias === undefined) throw new MarketError('invalid_payment_header');
  return { caip2: chain.caip2, alias };
}

/** A new payment under a name that was given before: what that bought, with nothing charged again. */
async function repeatIdentified(attempt: Attempt): Promise<PurchaseResult | undefined> {
  const { context, purchase, presented, identifier } = attempt;
  const { db } = context.database;
  if (identifier === undefined || (await listIdentified(db, { identifier })).length === 0) return undefined;
  const verdict = await judgeStandardPayment(context, purchase, presented);
  if (verdict.valid) return await repeatOf(attempt, identifier, verdict.payer);
  // A payment that we would refuse does not show whose it is: who knows name and request is told what is there, and no secrets.
  const [same, ...others] = await listIdentified(db, { identifier, fingerprint: purchase.fingerprint });
  if (same === undefined || others.length > 0) return undefined;
  return await goOn({ ...attempt, identifier: undefined, isPayer: false }, same);
}

async function repeatOf(attempt: Attempt, identifier: string, payer: string): Promise<PurchaseResult | undefined> {
  const [own] = await listIdentified(attempt.context.database.db, { identifier, payer });
  return own && (await goOn(attempt, own));
}

async function payAnew(attempt: Attempt, key: AliasKey): Promise<PurchaseResult> {
  const { context, purchase, presented } = attempt;
  await purchase.requireOnOffer();
  // What is on its way goes on; only a new payment needs somebody to pay its fee.
  if (!context.facilitator.networks.includes(presented.network)) throw new MarketError('network_not_available');
  const verdict = await judgeStandardPayment(context, purchase, presented);
  if (!verdict.valid) throw verdict.refusal;
  await refuseBannedWallet(context.database.db, verdict.payer);
  purchase.requireBuyer({ payer: verdict.payer, network: presented.network, via: 'facilitator' });
  const claimed = await claim(attempt, key, verdict);
  reachCrashPoint('x402.after_claim');
  if (claimed === 'identifier_taken') return await joinOther(attempt, verdict.payer);
  const row = await findPayment(context.database.db, key);
  if (row === undefined) throw new Error(`payment ${key.alias} vanished`);
  if (claimed === 'payment_taken') return await goOn(attempt, row);
  return await tell(attempt, row, await finish(attempt, row));
}

/** Another payment under the same name was claimed a moment ago. */
async function joinOther(attempt: Attempt, payer: string): Promise<PurchaseResult> {
  const result = await repeatOf(attempt, attempt.identifier ?? '', payer);
  // It failed since.
  if (result === undefined) throw new MarketError('payment_pending', { retryAfterSeconds: 1 });
  return result;
}

type Claimed = 'ours' | 'payment_taken' | 'identifier_taken';

/** Under the payment's own name and the client's, both at once. */
async function claim(
  { context, purchase, presented, identifier }: Attempt,
  key: AliasKey,
  { honoured: { requirement, price }, payer }: Extract<StandardVerdict, { valid: true }>,
): Promise<Claimed> {
  try {
    return await context.database.transaction(async (tx) => {
      const isOurs = await claimAlias(tx, {
        ...key,
        network: presented.network,
        purpose: purchase.purpose,
        subjectId: purchase.subjectId,
        fingerprint: purchase.fingerprint,
        request: JSON.stringify(purchase.pack({ payer, network: presented.network, price, via: 'facilitator' })),
        version: presented.version,
        payload: JSON.stringify(presented.payload),
        requirement: JSON.stringify(requirement),
        amountMicros: price.amountMicros,
        payer,
        identifier: identifier ?? null,
      });
      if (!isOurs) return 'payment_taken';
      await enqueueJobs(tx, [reconcileJob(key, context.clock.now())]);
      return 'ours';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'x402_payments_identifier')) return 'identifier_taken';
    throw error;
  }
}

/** The same payment again: its answer when it is done, patience while it is not, a conflict when it was meant for something else. */
async function goOn(attempt: Attempt, row: PaymentRow): Promise<PurchaseResult> {
  if (!row.fingerprint.equals(attempt.purchase.fingerprint)) {
    throw row.alias === nameOf(attempt).alias ? paymentForOtherRequest(row) : new MarketError('payment_identifier_reused');
  }
  return await tell(attempt, row, await finish(attempt, row));
}

/**
 * The payment is claimed: whatever breaks from here on, it may have been sent, so the payer is told to repeat it and never that it failed.
 * The reconciler goes on with it meanwhile.
 */
async function finish({ context, gone }: Attempt, row: PaymentRow): Promise<Finished> {
  try {
    return await finishPayment(context, row, gone);
  } catch (error) {
    if (error instanceof MarketError) throw error;
    context.log.error({ err: error, payment: row.alias }, 'a claimed payment could not be carried on');
    return { state: 'unknown', reference: row.transaction ?? undefined };
  }
}

async function tell(attempt: Attempt, payment: PaymentRow, finished: Finished): Promise<PurchaseResult> {
  const { context, purchase, presented } = attempt;
  switch (finished.state) {
    case 'settled':
      return announce(attempt, payment, finished.row);
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

/** Once a payment is on its chain, everybody can show it: what acts for the payer is told once, and again only to who shows more than that. */
function announce(
  { context, caller, purchase, presented, identifier, isPayer }: Attempt,
  payment: PaymentRow,
  row: PurchaseRow,
): PurchaseResult {
  const { payer, reference: transaction, caip2: network } = row;
  const extensions = signedReceipt(context, { resourceUrl: purchase.challenge.url, network, payer, transaction });
  const isIdentified = identifier !== undefined && identifier === payment.identifier;
  return {
    row,
    hearer: (isPayer && row.toldAt === null) || isIdentified || provenWallets(caller, network).includes(payer) ? 'payer' : 'other',
    headers: receiptHeader(presented, { success: true, transaction, network, payer, extensions }),
  };
}
