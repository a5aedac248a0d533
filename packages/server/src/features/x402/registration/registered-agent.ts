/**
 * The agent that a payment registers: stored until the money has moved, made, and presented. If its name was taken meanwhile, the payment
 * goes back.
 */
import { formatUsd, MarketError, type NetworkName, networkFacts, type OperationAnswer, type Operations } from '@market/contract';
import { z } from 'zod';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { isRefusal } from '../../../platform/is-refusal.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { createAgent, distrustOwner, isCurrentKey, isNameClash, type Registration, withoutSecrets } from '../../agents/index.ts';
import { escrow, platformFee, refundPayable } from '../../ledger/index.ts';
import { claimPayment, contestedUntil, isPresenterUnproven, type NewPayment, surplusOf } from '../../payments/index.ts';
import { queuePayout } from '../../payouts/index.ts';
import { insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { PaidRequest, PurchaseResult } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import { enqueueRegistrationFee } from './registration-fee.ts';

export type RegistrationAnswer = OperationAnswer<Operations['agents']['register']>;

/** The answer as it is stored, with the endpoint that the request named. Answers of older versions have no endpoint. */
export type StoredRegistration = RegistrationAnswer & { readonly endpointUrl?: string | null };

/** Stored instead of an answer: the refusal, word for word. */
export interface Returned {
  readonly refusal: Pick<MarketError, 'code' | 'message' | 'data' | 'extras'>;
}

/** The context under which the answer to a registration is sealed. */
export function sealedRegistrationFor(subjectId: string): string {
  return `x402_purchases/${subjectId}`;
}

const sealedRegistration = z.object({ sealed: z.string() });
export const sealedRequestFor = (agentId: string): string => `x402_payments/${agentId}/request`;

/** Sealed, because it may hold personal data of a sign-in token. The agent's secrets are made later and never stored here. */
export function packRegistration(
  { secrets }: { readonly secrets: SecretBox },
  registration: Registration,
): z.input<typeof sealedRegistration> {
  return { sealed: secrets.seal(JSON.stringify(registration), sealedRequestFor(registration.id)) };
}

function openRegistration({ secrets }: { readonly secrets: SecretBox }, agentId: string, stored: unknown): Registration {
  const { sealed } = sealedRegistration.parse(stored);
  return JSON.parse(secrets.open(sealed, sealedRequestFor(agentId))) as Registration;
}

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

/** The refusal of a registration whose name was taken while the money moved. */
export function refusalOf(error: unknown): MarketError | undefined {
  if (isNameClash(error)) return new MarketError('name_taken');
  return isRefusal(error, 'name_taken', 'duplicate_agent') ? error : undefined;
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

const KEY_WITHHELD =
  'This agent is registered and belongs to the wallet that paid. Its key comes with the first answer only. POST /api/agents/recover with a signature of that wallet returns it again.';
const KEY_REPLACED =
  'This agent is registered and belongs to the wallet that paid. Its key was replaced since. POST /api/agents/recover with a signature of that wallet returns it.';
const KEY_PROVISIONAL = 'This key is provisional: when the wallet that paid signs, the key ends and that wallet gets a new one.';
const KEY_ONCE =
  'Keep this key: repeated answers do not carry it. POST /api/agents/recover with a signature of the wallet that paid returns it again.';

/** The agent, with its key or with how to recover it; throws the stored refusal. */
export async function presentRegistration(
  db: Db,
  { secrets }: X402Context,
  { row, recipient, headers }: PurchaseResult,
): Promise<RegistrationAnswer> {
  const stored = JSON.parse(secrets.open(row.sealedAnswer, sealedRegistrationFor(row.subjectId))) as StoredRegistration | Returned;
  if ('refusal' in stored) {
    const { code, message, data, extras } = stored.refusal;
    throw new MarketError(code, { message, headers, ...(data && { data }), ...(extras && { extras }) });
  }
  // Answers stored by older versions have no `surplus`.
  const { endpointUrl: _asked, ...kept } = stored;
  const answer = kept.x402 ? { ...kept, x402: { ...kept.x402, surplus: kept.x402.surplus ?? null } } : kept;
  if (recipient === 'first') {
    return { ...answer, data: { ...answer.data, note: [answer.data.note, KEY_ONCE, KEY_PROVISIONAL].filter(Boolean).join(' ') } };
  }
  const isCurrent = recipient === 'payer' && (await isCurrentKey(db, secrets, row.subjectId, answer.data.api_key));
  if (isCurrent) return answer;
  const note = recipient === 'payer' ? KEY_REPLACED : KEY_WITHHELD;
  return { ...answer, data: { ...answer.data, api_key: null, webhook_secret: null, note } };
}
