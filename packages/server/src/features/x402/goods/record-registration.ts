/** Makes the agent that a payment registers, and keeps its answer; or pays back when its name was taken while the money moved. */
import { formatUsd, type MarketError, type NetworkName, networkFacts } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { createAgent, distrustOwner, type Registration, withoutSecrets } from '../../agents/index.ts';
import { escrow, platformFee, refundPayable } from '../../ledger/index.ts';
import { claimPayment, contestedUntil, isPresenterUnproven, type NewPayment, surplusOf } from '../../payments/index.ts';
import { queuePayout } from '../../payouts/index.ts';
import type { PaidRequest } from '../intake/purchase.ts';
import { insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';
import { enqueueRegistrationFee } from './contested-purchases.ts';
import { type RegistrationAnswer, type Returned, type StoredRegistration, sealedRegistrationFor } from './registration-answer.ts';
import { openRegistration } from './stored-request.ts';

type Claim = Awaited<ReturnType<typeof claimPayment>>;

/** The marketplace gets the price; the payer owns the agent, or the person whose program registers it. */
export async function recordRegistration(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidRequest): Promise<PurchaseRow> {
  const { network } = payment;
  const registration = openRegistration(context, payment.request.subjectId, paid.request);
  const heldUntil = contestedUntil(context, payment);
  const earned = heldUntil === null;
  const claim = await claimPayment(tx, context, payment, earned ? platformFee(network) : escrow(network, registration.id));
  // A contestable payment is held in escrow, like the price of an order.
  if (!earned) await enqueueRegistrationFee(tx, registration.id, network, heldUntil);
  const made = await createAgent(tx, context, ownedBy(registration, claim.payer));
  // The program can present its payment again without its connection, and must not read the key then.
  const data = registration.connectionId === undefined ? made : withoutSecrets(made);
  // Its key may go to a stranger who read the reference on the chain.
  if (isPresenterUnproven(payment)) await distrustOwner(tx, registration.id);
  const { endpointUrl } = registration;
  return await keep(tx, context, claim, paid, { data, x402: receiptOf(network, claim, paid), endpointUrl } satisfies StoredRegistration);
}

/** The money has moved but the name was taken: the payer gets all of it back. */
export async function recordReturned(
  tx: Tx,
  context: X402Context,
  payment: NewPayment,
  paid: PaidRequest,
  refusal: MarketError,
): Promise<PurchaseRow> {
  const { network, request } = payment;
  const { subjectId } = request;
  const from = refundPayable(network, subjectId);
  const claim = await claimPayment(tx, context, payment, from);
  const { payer, priceMicros } = claim;
  const paidBy = { network, reference: claim.reference };
  await queuePayout(tx, { purpose: 'refund', subjectId, paidBy, network, destination: payer, amountMicros: priceMicros, from });
  const words = `The payment was settled before that was known: ${formatUsd(priceMicros)} USDC goes back to ${payer}.`;
  const data = {
    refund: { amount_usd: formatUsd(priceMicros), destination: payer, network, payment: claim.reference },
    surplus: surplusOf(network, claim),
  };
  const shown = { code: refusal.code, data, ...withWords(refusal, words) };
  return await keep(tx, context, claim, paid, { refusal: shown } satisfies Returned);
}

/** Where the specification fixes `error` to the code, `message` holds the words. */
function withWords({ message, extras }: MarketError, words: string): Pick<MarketError, 'message' | 'extras'> {
  const beside = extras?.['message'];
  if (typeof beside !== 'string') return { message: `${message} ${words}`, extras };
  return { message, extras: { ...extras, message: `${beside} ${words}` } };
}

/** A connected program registers for its person, also when another wallet pays. */
function ownedBy(registration: Registration, payer: string): Registration {
  if (registration.connectionId !== undefined) return registration;
  return { ...registration, registrant: { ...registration.registrant, ownerWallet: payer } };
}

function receiptOf(network: NetworkName, claim: Claim, { settledVia }: PaidRequest): NonNullable<RegistrationAnswer['x402']> {
  return {
    payment_verified: true,
    payer_wallet: claim.payer,
    total_charged_usd: Number(formatUsd(claim.priceMicros)),
    tx_signature: claim.reference,
    payment_chain: networkFacts[network].chain,
    settled_via: settledVia,
    surplus: surplusOf(network, claim),
  };
}

async function keep(
  tx: Tx,
  { secrets }: X402Context,
  { caip2, reference, subjectId, payer }: Claim,
  { purpose, fingerprint }: PaidRequest,
  answer: StoredRegistration | Returned,
): Promise<PurchaseRow> {
  const sealedAnswer = secrets.seal(JSON.stringify(answer), sealedRegistrationFor(subjectId));
  return await insertPurchase(tx, { caip2, reference, subjectId, payer, purpose, fingerprint, sealedAnswer });
}
