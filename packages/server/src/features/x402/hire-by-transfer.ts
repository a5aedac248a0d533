/** Paid with a transfer made beforehand. Its reference is public, so the order belongs to who paid on chain, whoever presents it. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import { provenWallets } from '../orders/index.ts';
import { type PaymentRequest, type VerifiedPayment, verifyPayment } from '../payments/index.ts';
import { challenge } from './challenge.ts';
import type { PresentedPayment } from './classify-payment.ts';
import type { Purchase } from './hire.ts';
import { answerForPresenter, type HireData, recordHire, storedAnswer } from './hire-answer.ts';
import { machinePrice } from './offers.ts';
import { honouredPrices } from './payable-service.ts';
import { findHire } from './repository.ts';
import type { X402Context } from './x402-context.ts';

const MAX_PROOF_SECONDS = 3600;

type Transfer = Extract<PresentedPayment, { kind: 'transfer' }>;

export async function hireByTransfer(
  context: X402Context,
  caller: Caller,
  purchase: Purchase,
  { network, reference: text }: Transfer,
): Promise<HireData> {
  const chain = context.chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const key = { caip2: chain.caip2, reference };

  const before = await findRepeated(context, purchase, key);
  if (before !== undefined) return answerForPresenter(caller, before);
  purchase.requireOnOffer();
  const { payment, priceMicros } = await verifyAtHonouredPrice(context, purchase, { network, reference });
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  try {
    const clientAgentId = isAgentOfPayer(caller, payment.judged.payer) ? purchase.hire.clientAgentId : null;
    const made = await context.database.transaction((tx) =>
      recordHire(tx, context, payment, {
        hire: { ...purchase.hire, clientAgentId, priceMicros },
        fingerprint: purchase.fingerprint,
        settledVia: 'transfer',
      }),
    );
    return answerForPresenter(caller, made);
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'payment_already_used') throw error;
    // Somebody was faster; if it was this very request, its answer is this one's too.
    const meanwhile = await findRepeated(context, purchase, key);
    if (meanwhile === undefined) throw error;
    return answerForPresenter(caller, meanwhile);
  }
}

/** An agent that shows a stranger's transfer does not become the buyer by it. */
function isAgentOfPayer(caller: Caller, payer: string): boolean {
  return caller.agent?.ownerWallet === payer || provenWallets(caller).includes(payer);
}

async function findRepeated(
  context: X402Context,
  { fingerprint }: Purchase,
  key: { caip2: string; reference: string },
): Promise<HireData | undefined> {
  const row = await findHire(context.database.db, key);
  if (row === undefined) return undefined;
  if (!row.fingerprint.equals(fingerprint)) throw new MarketError('payment_for_other_request', { data: { order_id: row.subjectId } });
  return storedAnswer(context, row);
}

/** Today's price first; a transfer too small for it may be the one that was asked for a moment ago. */
async function verifyAtHonouredPrice(
  context: X402Context,
  purchase: Purchase,
  at: Pick<PaymentRequest, 'network' | 'reference'>,
): Promise<{ payment: VerifiedPayment; priceMicros: bigint }> {
  const prices = honouredPrices(purchase.service, context.clock.now());
  for (const [index, priceMicros] of prices.entries()) {
    try {
      const payment = await verifyPayment(context, {
        ...at,
        purpose: 'x402',
        subjectId: purchase.hire.orderId,
        expectedMicros: machinePrice(priceMicros),
        payableSince: purchase.service.createdAt,
        maxAgeSeconds: MAX_PROOF_SECONDS,
      });
      return { payment, priceMicros };
    } catch (error) {
      const isLast = index === prices.length - 1;
      if (!isLast && error instanceof MarketError && error.code === 'payment_underpaid') continue;
      throw asChallenge(context, purchase, error);
    }
  }
  throw new Error('a payable service has a price');
}

/** What the chain does not show, or not yet, is told as a new challenge: nothing was used up. */
function asChallenge(context: X402Context, purchase: Purchase, error: unknown): unknown {
  if (!(error instanceof MarketError) || !(rejections as readonly string[]).includes(error.code)) return error;
  const retry = error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) };
  return challenge(context, purchase.service, purchase.challenge, {
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
