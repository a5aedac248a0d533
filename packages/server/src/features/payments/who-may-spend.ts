/**
 * Decides who may spend a transfer. Its reference is public, so anyone watching the chain can present it. A signed standard payment, a
 * wallet that the caller may spend from, or a transfer that names the purchase proves the payer. Everything else is a bare transfer. It
 * counts only from a wallet that never proved itself here, for an offer older than the transfer. It can be contested for a while.
 */
import { MarketError, type NetworkName, toWireTime } from '@market/contract';
import { isWalletKnown } from '../../access/authority/known-wallets-repository.ts';
import { holdPermission } from '../../access/authority/payers-repository.ts';
import { bindToTransfer } from '../../access/authority/seen-signatures.ts';
import { type SpendableWallet, signerOf, spendableWallets } from '../../access/authority/spendable-wallets.ts';
import type { Caller } from '../../access/caller.ts';
import type { Receipt } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { readRestoredAt } from '../../platform/db/known-place-repository.ts';
import { reserved, wrongPayer } from './how-to-prove.ts';
import type { PaymentsContext } from './payments-context.ts';
import type { PurchaseReference } from './purchase-reference.ts';
import type { ClaimRow, TransferKey } from './repository.ts';

/** The presenter's proof of being the payer. */
export interface Presenter {
  /** Wallets that the request may spend from. */
  readonly wallets: readonly SpendableWallet[];
  /** The caller of the request; absent for our own. */
  readonly caller?: Caller;
  /** The payer signed this very purchase: a standard payment that was verified. */
  readonly signedPurchase?: boolean;
}

/** The payment itself proves the payer. */
export const signedPurchase: Presenter = { wallets: [], signedPurchase: true };

/** The caller with the wallets that it may spend from on this network. */
export async function asPresenter(db: Db, caller: Caller, network: NetworkName): Promise<Presenter> {
  return { wallets: await spendableWallets(db, caller, network), caller };
}

export function maySpendFrom({ wallets }: Presenter, payer: string): boolean {
  return wallets.some(({ address }) => address === payer);
}

/** Facts of a purchase that decide who may pay for it with a public reference. */
export interface Spending {
  readonly presenter: Presenter;
  /** The time since which this is offered at this price. Required for purchases by bare transfer. */
  readonly offeredSince?: Date;
  /** Whether a note of the transfer names exactly this purchase. */
  readonly isNamedBy?: (note: string, paidAt: Date) => boolean;
  /** Such a note names only the request, not its caller: anybody who knows the request may present the transfer. */
  readonly isAskedByAnybody?: boolean;
  /** Makes the text by which a new transfer names this purchase. */
  readonly createReference?: () => PurchaseReference;
}

export type PayerProof = 'payment' | 'wallet' | 'reference' | 'bare';

export function proofOf(spending: Spending, payer: string, transfer: NotedTransfer): PayerProof {
  const { presenter } = spending;
  if (presenter.signedPurchase === true) return 'payment';
  if (maySpendFrom(presenter, payer)) return 'wallet';
  return isNamed(spending, transfer) ? 'reference' : 'bare';
}

/** Whether a stranger may have sent the request that spends this transfer. Such a presenter loses the purchase once the payer is proven. */
export function isPresenterUnproven({ proof, request }: { readonly proof: PayerProof; readonly request: Spending }): boolean {
  return proof === 'bare' || (proof === 'reference' && request.isAskedByAnybody === true);
}

export type NotedTransfer = Pick<Receipt, 'notes' | 'blockTime'>;

/** Whether the transfer names exactly this purchase. */
export function isNamed({ isNamedBy }: Spending, { notes, blockTime }: NotedTransfer): boolean {
  return isNamedBy !== undefined && notes.some((note) => isNamedBy(note, blockTime));
}

/** A transfer that will pay for a purchase, of a wallet that the presenter may spend from. */
export interface Vouched {
  readonly network: NetworkName;
  readonly key: TransferKey;
  readonly payer: string;
  readonly spending: Spending & { readonly expectedMicros: bigint };
}

/**
 * Checks the proof again in the transaction that spends the transfer: a permission must still stand, and an ordinary signature spends one
 * transfer. Throws otherwise.
 */
export async function requireVoucher(
  tx: Tx,
  context: Pick<PaymentsContext, 'clock' | 'chains' | 'baseUrl'>,
  { network, key, payer, spending }: Vouched,
): Promise<void> {
  const { wallets, caller } = spending.presenter;
  const vouchers = wallets.filter(({ address }) => address === payer).map(({ by }) => by);
  if (vouchers.some((by) => by !== 'signature' && by !== 'allowed')) return;
  const agentId = caller?.agent?.id;
  if (vouchers.includes('allowed') && agentId !== undefined && (await holdPermission(tx, agentId, payer))) return;
  const signer = vouchers.includes('signature') && caller !== undefined ? signerOf(caller, payer) : undefined;
  if (signer === undefined) throw await wrongPayer(context, { network, payer, ...spending });
  await bindToTransfer(tx, signer, `${key.caip2}/${key.reference}`);
}

/** Throws when a bare transfer of this payer cannot buy this. Nothing is used up. */
export async function requireBareSpendable(
  context: Pick<PaymentsContext, 'database' | 'clock' | 'chains' | 'baseUrl'>,
  network: NetworkName,
  payer: string,
  spending: Spending & { readonly expectedMicros: bigint },
  paidAt: Date,
): Promise<void> {
  const { offeredSince } = spending;
  if (offeredSince === undefined) throw new Error('a purchase by bare transfer needs offeredSince');
  if (await isWalletKnown(context.database.db, payer)) throw await reserved(context, { network, payer, ...spending });
  const restoredAt = await readRestoredAt(context.database.db);
  if (restoredAt !== undefined && isNewer(restoredAt, paidAt))
    throw await reserved(context, { network, payer, ...spending }, RESTORED_SINCE);
  if (isNewer(offeredSince, paidAt)) throw new MarketError('offer_newer_than_payment');
}

/** Anyone may send an authorisation (EIP-3009), and its sender knows the transaction first: such a transfer always needs a proof. */
export async function refuseLandedByOthers(
  context: Pick<PaymentsContext, 'clock' | 'chains' | 'baseUrl'>,
  network: NetworkName,
  payer: string,
  spending: Spending & { readonly expectedMicros: bigint },
  { landedByOthers = [] }: Pick<Receipt, 'landedByOthers'>,
): Promise<void> {
  if (landedByOthers.includes(payer)) throw await reserved(context, { network, payer, ...spending }, LANDED_BY_OTHERS);
}

/** Refuses a bare transfer of several payers, because its presenter may be only one of them. Only a claim of a single payer can move. */
export async function refuseSeveralPayers(
  context: Pick<PaymentsContext, 'clock' | 'chains' | 'baseUrl'>,
  network: NetworkName,
  payer: string,
  spending: Spending & { readonly expectedMicros: bigint },
  { payers }: Pick<Receipt, 'payers'>,
): Promise<void> {
  if (payers.length > 1) throw await reserved(context, { network, payer, ...spending }, SEVERAL_PAYERS);
}

const SEVERAL_PAYERS = 'Several wallets paid in this transaction, so a proof of the wallet that paid must come with it.';
/** Lost books may have known the payer. */
const RESTORED_SINCE =
  'This market was put back to an earlier moment after this transfer, so a proof of the wallet that paid must come with it.';
const LANDED_BY_OTHERS =
  'Somebody else than the payer sent this transfer (EIP-3009), so a proof of the wallet that paid must come with it.';

/** Chains tell time in whole seconds: a block of second 12 may have been made at 12.9. */
const BLOCK_TIME_GRAIN_MS = 1_000;

function isNewer(offeredSince: Date, paidAt: Date): boolean {
  return offeredSince.getTime() >= paidAt.getTime() + BLOCK_TIME_GRAIN_MS;
}

/** The time at which the payer can no longer contest a bare claim; null if it cannot be contested. */
export function contestEnd(
  { contest, clock }: Pick<PaymentsContext, 'contest' | 'clock'>,
  proof: PayerProof,
  amountMicros: bigint,
): Date | null {
  if (proof !== 'bare' || contest.windowMinutes === 0 || amountMicros <= contest.aboveMicros) return null;
  return new Date(clock.now().getTime() + contest.windowMinutes * 60_000);
}

export function contestOver({ purpose, subjectId, contestableUntil }: ClaimRow): MarketError {
  return new MarketError('payment_contest_over', {
    data: {
      ...(purpose === 'registration' ? { agent_id: subjectId } : { order_id: subjectId }),
      contestable_until: contestableUntil === null ? null : toWireTime(contestableUntil),
    },
  });
}
