/**
 * Turns a transaction reference into a claimed payment. `verifyPayment` asks the chain and spends nothing; `claimPayment` runs
 * inside the caller's transaction, so that the claim and the purchase exist together or not at all.
 */
import { MarketError, type NetworkName } from '@market/contract';
import { noteProvenWallet } from '../../access/authority/known-wallets-repository.ts';
import { type Chain, ChainUnavailable, type Finality, type KnownOfReceipt, type ReceiptReading } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { larger } from '../../platform/larger-and-smaller.ts';
import { type LedgerAccount, post, surplusPayable, unmatched } from '../ledger/index.ts';
import { announceBare } from './announce-bare.ts';
import { awaitFinality } from './await-finality.ts';
import { bookReceipt } from './book-receipt.ts';
import { reserved, wrongPayer } from './how-to-prove.ts';
import { type Giver, type JudgedPayment, judgePayment, type PaymentRule, sumOf, UnfinalPayment, WrongPayer } from './judge-payment.ts';
import { moveClaim } from './move-claim.ts';
import type { PaymentsContext } from './payments-context.ts';
import { hasOpenPresentation, notePresentation, notePresentationAnew } from './presentations-repository.ts';
import { type ClaimRow, findClaim, insertClaim, isAgentDeposit, readReceiptRow, type TransferKey } from './repository.ts';
import { refuseSpentBefore } from './spent-before.ts';
import {
  contestEnd,
  isNamed,
  isPresenterUnproven,
  type PayerProof,
  proofOf,
  refuseLandedByOthers,
  refuseSeveralPayers,
  requireBareSpendable,
  requireVoucher,
  type Spending,
  type Vouched,
} from './who-may-spend.ts';

export interface PaymentRequest
  extends Pick<PaymentRule, 'expectedMicros' | 'payers' | 'payableSince' | 'maxAgeSeconds' | 'relayedByUs'>,
    KnownOfReceipt,
    Spending {
  readonly network: NetworkName;
  /** The reference as the caller spelled it. */
  readonly reference: string;
  readonly purpose: ClaimRow['purpose'];
  /** Required finality below the amount that must be final; default: `confirmed`. */
  readonly leastFinality?: Finality;
  /** The purchase. The same transfer for the same subject is a repetition, for another subject a conflict. */
  readonly subjectId: string;
  /** Aborts when the caller no longer waits. Only requests with this signal wait until the transfer is final enough. */
  readonly gone?: AbortSignal;
  /** Called once, before the wait, when the transfer pays as soon as it is final enough. */
  readonly onUnfinal?: () => Promise<void>;
}

export type VerifiedPayment =
  | { readonly kind: 'repeated'; readonly claim: ClaimRow }
  | {
      readonly kind: 'new';
      readonly network: NetworkName;
      readonly key: TransferKey;
      readonly request: PaymentRequest;
      readonly judged: JudgedPayment;
      readonly proof: PayerProof;
      /** The bare claim of another request, from which this proven payer takes the transfer. */
      readonly contests: ClaimRow | undefined;
    };

export type NewPayment = Extract<VerifiedPayment, { kind: 'new' }>;

export async function verifyPayment(context: PaymentsContext, request: PaymentRequest): Promise<VerifiedPayment> {
  const { chain, key } = locate(context, request);
  // Check this first: a used reference must not cost a call to the chain.
  const held = await findClaim(context.database.db, key);
  if (held !== undefined && isSame(held, request)) return { kind: 'repeated', claim: held };
  if (held !== undefined && !(await mayContest(context, held, request))) throw new MarketError('payment_already_used');

  // The whole amount that arrived decides, because its surplus can be refunded as soon as the transfer counts.
  let maxMicros = request.expectedMicros;
  const requiredFinality = () => (maxMicros >= context.finalFromMicros ? 'final' : (request.leastFinality ?? 'confirmed'));
  const rule: Omit<PaymentRule, 'requiredFinality'> = {
    ...request,
    // The wallet that paid named this purchase itself.
    isNamed: (receipt) => isNamed(request, receipt),
    relayers: context.relayers,
    ownAddresses: [...[...context.chains.values()].map(({ treasury: address }) => address), ...context.relayers],
  };
  let isAnnounced = false;
  const judged = await awaitFinality(context.waitingRoom, request.gone, key, async () => {
    const reading = await readReceipt(chain, key.reference, {
      justLanded: request.justLanded === true && requiredFinality() !== 'final',
      notesKnown: request.presenter.signedPurchase === true,
    });
    reachCrashPoint('verify.after_read');
    if (reading.state === 'landed') maxMicros = larger(request.expectedMicros, reading.receipt.receivedMicros);
    // Transfers that we sent are already recorded; the claim books them.
    if (request.relayedByUs !== true) await rememberUnclaimed(context, chain, key, reading);
    reachCrashPoint('verify.after_book');
    try {
      return judgePayment(reading, { ...rule, requiredFinality: requiredFinality() }, context.clock.now());
    } catch (error) {
      if (error instanceof UnfinalPayment && !isAnnounced) {
        isAnnounced = true;
        await request.onUnfinal?.();
      }
      if (error instanceof WrongPayer) throw await wrongPayer(context, { ...request, payer: error.payer });
      throw error;
    }
  });
  const { receipt, payer } = judged;
  const proof = proofOf(request, payer, receipt);
  if (proof === 'bare') {
    if (held !== undefined) throw new MarketError('payment_already_used');
    await requireBare(context, request, key, judged);
  }
  return { kind: 'new', network: request.network, key, request, judged, proof, contests: held };
}

/** Throws when this transfer needs a proof. Notifies its payer, because a stranger may be presenting it. */
async function requireBare(
  context: PaymentsContext,
  request: PaymentRequest,
  key: TransferKey,
  { receipt, payer }: JudgedPayment,
): Promise<void> {
  const { network, purpose } = request;
  try {
    await refuseLandedByOthers(context, network, payer, request, receipt);
    await refuseSeveralPayers(context, network, payer, request, receipt);
    await requireBareSpendable(context, network, payer, request, receipt.blockTime);
  } catch (error) {
    if (error instanceof MarketError && error.code === 'payment_reserved') await announceRefused(context, { network, key, payer, purpose });
    throw error;
  }
}

type Refused = Pick<Vouched, 'network' | 'key' | 'payer'> & Pick<PaymentRequest, 'purpose'>;

async function announceRefused(context: PaymentsContext, { key, ...what }: Refused): Promise<void> {
  const refused = { ...key, ...what, subjectId: null, contestableUntil: null };
  await context.database.transaction((tx) => announceBare(tx, context, refused));
}

/** Refuses a signed payment that everybody can copy. If it has moved money, notifies its payer, because a stranger may be presenting it. */
export async function refuseCopied(
  context: PaymentsContext,
  copied: Omit<Refused, 'key'> & Pick<Vouched, 'spending'> & { readonly key: TransferKey | undefined },
): Promise<MarketError> {
  const { network, key, payer, purpose, spending } = copied;
  if (key !== undefined) await announceRefused(context, { network, key, payer, purpose });
  return await reserved(context, { network, payer, ...spending }, COPIED);
}

const COPIED =
  'Everybody can copy this payment: a transaction carried it, or another request showed it. So a proof of the wallet that pays must come with it.';

/** Whether this request proves the payer of a claim that can be contested. Asks no chain: used references are cheap to refuse. */
async function mayContest(context: Pick<PaymentsContext, 'database'>, claim: ClaimRow, spending: Spending): Promise<boolean> {
  return claim.contestableUntil !== null && (await provesPayer(context, claim, spending));
}

/**
 * Whether this request proves the payer of a claim whose presenter may be a stranger, also after its contest window. An agent's permission
 * to pay from the wallet proves nothing, nor does a reference that everybody who knows the request can present.
 */
export async function provesPayer({ database }: Pick<PaymentsContext, 'database'>, claim: ClaimRow, spending: Spending): Promise<boolean> {
  if (claim.proof !== 'bare' && !(claim.proof === 'reference' && (await hasOpenPresentation(database.db, claim)))) return false;
  const receipt = await readReceiptRow(database.db, claim);
  const wallets = spending.presenter.wallets.filter(({ by }) => by !== 'allowed');
  const presenter = { ...spending.presenter, wallets };
  const shown = receipt && proofOf({ ...spending, presenter }, claim.payer, receipt);
  return shown !== undefined && shown !== 'bare' && !(claim.proof === 'reference' && shown === 'reference');
}

type ClaimedFor = Pick<PaymentRequest, 'network' | 'reference' | 'purpose' | 'subjectId'>;

/**
 * Returns the claim if this transfer already paid for this subject; throws if it paid for another one. Does not throw if `presenter` may
 * contest that claim.
 */
export async function refuseUsedPayment(context: PaymentsContext, request: ClaimedFor & Partial<Spending>): Promise<ClaimRow | undefined> {
  const claim = await findClaim(context.database.db, locate(context, request).key);
  if (claim === undefined || isSame(claim, request)) return claim;
  const { presenter } = request;
  if (presenter !== undefined && (await mayContest(context, claim, { ...request, presenter }))) return undefined;
  throw new MarketError('payment_already_used');
}

function isSame(claim: ClaimRow, { purpose, subjectId }: Pick<PaymentRequest, 'purpose' | 'subjectId'>): boolean {
  return claim.purpose === purpose && claim.subjectId === subjectId;
}

function locate({ chains }: PaymentsContext, { network, reference: text }: ClaimedFor): { chain: Chain; key: TransferKey } {
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  return { chain, key: { caip2: chain.caip2, reference } };
}

export async function readReceipt(chain: Chain, reference: string, known: KnownOfReceipt = {}): Promise<ReceiptReading> {
  try {
    return await chain.readReceipt(reference, known);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

/** Books received money as unmatched even if the purchase is refused. */
async function rememberUnclaimed(context: PaymentsContext, chain: Chain, key: TransferKey, reading: ReceiptReading): Promise<void> {
  if (reading.state !== 'landed' || reading.receipt.receivedMicros <= 0n || reading.receipt.finality === 'seen') return;
  await context.database.transaction((tx) => bookReceipt(tx, chain, key, reading.receipt));
}

/** The time until which the payer can move this transfer to another purchase once claimed; null if that is impossible. */
export function contestedUntil(context: Pick<PaymentsContext, 'contest' | 'clock'>, payment: NewPayment): Date | null {
  return contestEnd(context, payment.proof, payment.judged.receipt.receivedMicros);
}

/** Claims the transfer: books the price to `creditTo` and the rest to the payer's surplus. */
export async function claimPayment(tx: Tx, context: PaymentsContext, payment: VerifiedPayment, creditTo: LedgerAccount): Promise<ClaimRow> {
  if (payment.kind === 'repeated') return payment.claim;
  const { key, network, request, judged, proof, contests } = payment;
  const chain = context.chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const { receipt, payer, others } = judged;

  if (proof === 'wallet') {
    await refuseAgentDeposit(tx, payment);
    await requireVoucher(tx, context, { network, key, payer, spending: request });
  }
  const { purpose, subjectId, expectedMicros: priceMicros } = request;
  const owedBefore = contests === undefined ? 0n : contests.amountMicros - contests.priceMicros;
  await refuseSpentBefore(tx, context, { ...key, network, purpose, payer, priceMicros }, judged.surplusMicros - owedBefore);
  if (!(await bookReceipt(tx, chain, key, receipt))) throw new MarketError('payment_already_used');
  reachCrashPoint('claim.after_book');
  if (contests !== undefined && proof !== 'bare') {
    const moved = await moveClaim(tx, context, contests, { network, purpose, subjectId, priceMicros, proof, creditTo });
    if (isPresenterUnproven(payment)) await notePresentationAnew(tx, key, subjectId);
    return moved;
  }
  const contestableUntil = contestedUntil(context, payment);
  const claim = await takeReceipt(tx, context, {
    key,
    network,
    purpose,
    subjectId,
    payer,
    amountMicros: receipt.receivedMicros,
    priceMicros,
    proof,
    contestableUntil,
    creditTo,
    others,
  });
  if (proof === 'bare') await announceBare(tx, context, { ...key, network, payer, purpose, subjectId, contestableUntil });
  else if (isPresenterUnproven(payment)) await notePresentation(tx, { ...key, payer, subjectId });
  return claim;
}

/** Refuses an agent's transfer into Earn for any other purpose, although the agent's key vouches for that wallet. */
async function refuseAgentDeposit(tx: Tx, { key, request: { presenter, purpose }, judged: { receipt, payer } }: NewPayment): Promise<void> {
  const isOfAgent = presenter.wallets.some(({ address, by }) => address === payer && by === 'server_wallet');
  if (!isOfAgent || purpose === 'earn_deposit') return;
  if (receipt.landedByOthers?.includes(payer) === true || (await isAgentDeposit(tx, key.reference)))
    throw new MarketError('payment_already_used', { message: 'This transfer left the agent’s wallet for Earn. It pays for nothing else.' });
}

export interface TakenReceipt
  extends Pick<ClaimRow, 'purpose' | 'subjectId' | 'payer' | 'amountMicros' | 'priceMicros' | 'proof' | 'contestableUntil'> {
  readonly key: TransferKey;
  readonly network: NetworkName;
  readonly creditTo: LedgerAccount;
  /** Other wallets that paid us in the same transaction. */
  readonly others?: readonly Giver[];
}

/** Writes a claim: the row that makes the transfer spent, its posting and its event. */
export async function takeReceipt(tx: Tx, context: Pick<PaymentsContext, 'clock' | 'events'>, taken: TakenReceipt): Promise<ClaimRow> {
  const { key, network, creditTo, others = [], ...what } = taken;
  const claim = { ...key, ...what };
  if (!(await insertClaim(tx, claim))) throw new MarketError('payment_already_used');
  // A wallet that signed, has a session or is linked is known already.
  if (what.proof === 'payment' || what.proof === 'reference') await noteProvenWallet(tx, what.payer, 'payment');
  reachCrashPoint('claim.after_insert');
  await post(tx, {
    kind: 'payment_claimed',
    subjectId: what.subjectId,
    idempotencyKey: `claim:${key.caip2}/${key.reference}`,
    entries: [
      { account: unmatched(network, key.reference), micros: -what.amountMicros },
      { account: creditTo, micros: what.priceMicros },
      { account: surplusPayable(network, what.payer), micros: what.amountMicros - what.priceMicros - sumOf(others) },
      ...others.map(({ address, micros }) => ({ account: surplusPayable(network, address), micros })),
    ],
  });
  reachCrashPoint('claim.after_post');
  await context.events.append(tx, [
    {
      type: 'payment.claimed',
      subjectId: what.subjectId,
      data: { network, reference: key.reference, payer: what.payer, purpose: what.purpose },
    },
  ]);
  reachCrashPoint('claim.before_commit');
  return { ...claim, claimedAt: context.clock.now() };
}
