/**
 * Paid by a standard x402 payment, of either version. Its name is claimed before anything is broadcast, the money moves before the order
 * exists for anyone, and an outcome that is not known is told as such: never as a reason to pay again.
 */
import { MarketError } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { StandardPayment } from '../../platform/facilitator/facilitator.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { challenge } from './challenge.ts';
import type { AcceptedOffer, PresentedPayment } from './classify-payment.ts';
import { type Finished, finishPayment } from './finish-payment.ts';
import type { Purchase } from './hire.ts';
import { type HireData, storedAnswer } from './hire-answer.ts';
import { machinePrice, type StandardOffer, standardOffer } from './offers.ts';
import { honouredPrices } from './payable-service.ts';
import { receiptHeader } from './receipts.ts';
import { reconcileJob } from './reconcile-job.ts';
import { claimAlias, findHireOf, findPayment, type PaymentRow } from './repository.ts';
import { packHire } from './stored-request.ts';
import type { X402Context } from './x402-context.ts';

type Presented = Extract<PresentedPayment, { kind: 'standard' }>;

export async function hireByPayment(context: X402Context, call: Call, purchase: Purchase, presented: Presented): Promise<HireData> {
  const chain = context.chains.get(presented.network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const { network, payload } = presented;
  // Its name has nothing to do with the price: what was paid before is found whatever the service costs or is now.
  const anyOffer = standardOffer(chain, context.facilitator, machinePrice(purchase.service.priceMicros));
  const alias = context.facilitator.identityOf({ network, payload, requirement: anyOffer });
  if (alias === undefined) throw new MarketError('invalid_payment_header');
  const key = { caip2: chain.caip2, alias };

  const known = await findPayment(context.database.db, key);
  if (known !== undefined && known.state !== 'failed') return await goOn(context, call, purchase, presented, known);

  purchase.requireOnOffer();
  // What is on its way goes on; only a new payment needs somebody to pay its fee.
  if (!context.facilitator.networks.includes(presented.network)) throw new MarketError('network_not_available');
  const { offer, payer } = await requireValid(context, purchase, presented);
  const claimed = await context.database.transaction(async (tx) => {
    const isOurs = await claimAlias(tx, {
      ...key,
      network: presented.network,
      purpose: 'x402',
      subjectId: purchase.hire.orderId,
      fingerprint: purchase.fingerprint,
      request: JSON.stringify(packHire({ ...purchase.hire, priceMicros: offer.priceMicros })),
      version: presented.version,
      payload: JSON.stringify(presented.payload),
      requirement: JSON.stringify(offer.requirement),
      amountMicros: BigInt(offer.requirement.amount),
      payer,
    });
    if (isOurs) await enqueueJobs(tx, [reconcileJob(key, context.clock.now())]);
    return isOurs;
  });
  reachCrashPoint('x402.after_claim');
  const row = await findPayment(context.database.db, key);
  if (row === undefined) throw new Error(`payment ${alias} vanished`);
  if (!claimed) return await goOn(context, call, purchase, presented, row);
  return await tell(context, call, purchase, presented, await finishPayment(context, row));
}

/** The same payment again: its answer when it is done, patience while it is not, a conflict when it was meant for something else. */
async function goOn(context: X402Context, call: Call, purchase: Purchase, presented: Presented, row: PaymentRow): Promise<HireData> {
  if (!row.fingerprint.equals(purchase.fingerprint)) {
    throw new MarketError('payment_for_other_request', { data: { order_id: row.subjectId } });
  }
  if (row.state === 'settled') {
    const hire = await findHireOf(context.database.db, row.subjectId);
    if (hire === undefined) throw new Error(`what ${row.alias} bought vanished`);
    return announce(call, presented, storedAnswer(context, hire), row.caip2);
  }
  return await tell(context, call, purchase, presented, await finishPayment(context, row));
}

async function tell(context: X402Context, call: Call, purchase: Purchase, presented: Presented, finished: Finished): Promise<HireData> {
  const network = context.chains.get(presented.network)?.caip2 ?? '';
  switch (finished.state) {
    case 'settled':
      return announce(call, presented, finished.answer, network);
    case 'unknown':
      throw new MarketError('payment_pending', {
        retryAfterSeconds: 3,
        headers: receiptHeader(presented, {
          success: false,
          transaction: finished.reference ?? '',
          network,
          errorReason: 'settlement_pending',
        }),
        data: { transaction: finished.reference ?? null },
      });
    case 'failed':
      purchase.requireOnOffer();
      throw rejected(context, purchase, presented, finished.reason, finished.message);
  }
}

function announce(call: Call, presented: Presented, answer: HireData, network: string): HireData {
  const { tx_signature: transaction, payer_wallet: payer } = answer.x402;
  for (const [name, value] of Object.entries(receiptHeader(presented, { success: true, transaction, network, payer })))
    call.setHeader(name, value);
  return answer;
}

function rejected(context: X402Context, purchase: Purchase, presented: Presented, reason: string, message: string): MarketError {
  const network = context.chains.get(presented.network)?.caip2 ?? '';
  return challenge(context, purchase.service, purchase.challenge, {
    code: 'payment_rejected',
    message: reason === message ? reason : `${reason}: ${message}`,
    headers: receiptHeader(presented, { success: false, transaction: '', network, errorReason: reason }),
  });
}

/** Who pays; throws the challenge anew when the payment cannot be taken. One that somebody else handed in already has paid us all the same. */
async function requireValid(
  context: X402Context,
  purchase: Purchase,
  presented: Presented,
): Promise<{ offer: HonouredOffer; payer: string }> {
  const { network, payload } = presented;
  let refused: MarketError | undefined;
  try {
    for (const offer of offersFor(context, purchase, presented)) {
      const payment: StandardPayment = { network, requirement: offer.requirement, payload };
      const verified = await context.facilitator.verify(payment);
      if (verified.valid) return { offer, payer: verified.payer };
      const payer = await preemptedPayer(context, payment);
      if (payer !== undefined) return { offer, payer };
      refused ??= rejected(context, purchase, presented, verified.reason, verified.message);
    }
    throw refused ?? new Error('a payable service has a price');
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

async function preemptedPayer(context: X402Context, payment: StandardPayment): Promise<string | undefined> {
  const reference = await context.facilitator.findPreempted(payment);
  if (reference === undefined) return undefined;
  const reading = await context.chains.get(payment.network)?.readReceipt(reference);
  return reading?.state === 'landed' ? reading.receipt.payers[0]?.address : undefined;
}

interface HonouredOffer {
  readonly requirement: StandardOffer;
  readonly priceMicros: bigint;
}

/**
 * The requirement is always ours, for today's price or one shown a moment ago; version 2 clients must have chosen exactly it. Version 1 on
 * Solana does not say which it was shown, so either will do.
 */
function offersFor(context: X402Context, purchase: Purchase, presented: Presented): readonly HonouredOffer[] {
  const chain = context.chains.get(presented.network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const offers = honouredPrices(purchase.service, context.clock.now()).map((priceMicros) => ({
    priceMicros,
    requirement: standardOffer(chain, context.facilitator, machinePrice(priceMicros)),
  }));
  const { accepted } = presented;
  const wanted = accepted?.amount ?? signedAmount(presented.payload);
  if (wanted === undefined) return offers;
  const chosen = offers.find(({ requirement }) => requirement.amount === wanted) ?? offers[0];
  if (chosen === undefined) return [];
  if (accepted !== undefined && !isSameOffer(accepted, chosen.requirement)) {
    throw rejected(context, purchase, presented, 'invalid_payment_requirements', 'The accepted offer is not one of ours.');
  }
  return [chosen];
}

/** Version 1 does not say which price it was shown; an EIP-3009 authorisation names the amount itself. */
function signedAmount(payload: Readonly<Record<string, unknown>>): string | undefined {
  const authorization = payload['authorization'];
  const value =
    typeof authorization === 'object' && authorization !== null ? (authorization as Record<string, unknown>)['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isSameOffer(accepted: AcceptedOffer, ours: StandardOffer): boolean {
  const sameExtra = Object.entries(ours.extra).every(([name, value]) => JSON.stringify(accepted.extra[name]) === JSON.stringify(value));
  return (
    sameExtra &&
    accepted.scheme === ours.scheme &&
    accepted.network === ours.network &&
    accepted.amount === ours.amount &&
    accepted.asset === ours.asset &&
    accepted.payTo === ours.payTo &&
    accepted.maxTimeoutSeconds === ours.maxTimeoutSeconds
  );
}
