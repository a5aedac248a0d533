/**
 * Decides who may spend a transfer. Its reference is public, so anyone watching the chain can present it. A signed standard payment, a
 * credential of the paying wallet, or a transfer that names the purchase proves the payer. Everything else is a bare transfer: it
 * counts only from a wallet unknown to the market, for an offer older than the transfer, and it can be contested for a while.
 */
import { MarketError, type NetworkName, networkFacts, ordinarySignedText, toWireTime, walletChainOf } from '@market/contract';
import { type Caller, walletsOf } from '../../access/caller.ts';
import type { Receipt } from '../../platform/chains/chain.ts';
import type { Db } from '../../platform/db/database.ts';
import { isWalletKnown, listWalletsOfAgent } from './known-wallets-repository.ts';
import type { PaymentsContext } from './payments-context.ts';
import type { ClaimRow } from './repository.ts';

/** The presenter's proof of being the payer. */
export interface Presenter {
  /** Wallets that the request's credentials prove. */
  readonly wallets: readonly string[];
  /** The payer signed this very purchase: a standard payment that was verified. */
  readonly signedPurchase?: boolean;
}

/** The payment itself proves the payer. */
export const signedPurchase: Presenter = { wallets: [], signedPurchase: true };

/** Facts of a purchase that decide who may pay for it with a public reference. */
export interface Spending {
  readonly presenter: Presenter;
  /** Since when this is offered at this price. Required for purchases by bare transfer. */
  readonly offeredSince?: Date;
  /** Whether a note of the transfer names exactly this purchase. */
  readonly isNamedBy?: (note: string, paidAt: Date) => boolean;
}

export type PayerProof = 'payment' | 'wallet' | 'reference' | 'bare';

export function proofOf({ presenter, isNamedBy }: Spending, payer: string, { notes, blockTime }: NotedTransfer): PayerProof {
  if (presenter.signedPurchase === true) return 'payment';
  if (presenter.wallets.includes(payer)) return 'wallet';
  return isNamedBy !== undefined && notes.some((note) => isNamedBy(note, blockTime)) ? 'reference' : 'bare';
}

export type NotedTransfer = Pick<Receipt, 'notes' | 'blockTime'>;

/**
 * Everything the caller's credentials vouch for on this network: a contract's signature counts only where it was proven.
 * An agent's key stands for its owner's wallets and its own.
 */
export async function presenterOf(db: Db, caller: Caller, network: NetworkName): Promise<Presenter> {
  const { agent } = caller;
  const ofAgent = agent === undefined ? [] : await listWalletsOfAgent(db, agent);
  return { wallets: [...walletsOf(caller, network), ...ofAgent] };
}

/** Throws when a bare transfer of this payer cannot buy this. Nothing is used up. */
export async function requireBareSpendable(
  { database, clock }: Pick<PaymentsContext, 'database' | 'clock'>,
  network: NetworkName,
  payer: string,
  { offeredSince }: Spending,
  paidAt: Date,
): Promise<void> {
  if (offeredSince === undefined) throw new Error('only what says since when it is on offer takes bare transfers');
  if (await isWalletKnown(database.db, payer)) throw reserved(network, payer, clock.realNow());
  if (isNewer(offeredSince, paidAt)) throw new MarketError('offer_newer_than_payment');
}

/** Anyone may send an authorisation (EIP-3009), and its sender knows the transaction first: such a transfer always needs a proof. */
export function refuseLandedByOthers(
  { clock }: Pick<PaymentsContext, 'clock'>,
  network: NetworkName,
  payer: string,
  { landedByOthers = [] }: Pick<Receipt, 'landedByOthers'>,
): void {
  if (landedByOthers.includes(payer)) throw reserved(network, payer, clock.realNow(), LANDED_BY_OTHERS);
}

const LANDED_BY_OTHERS =
  'Somebody else than the payer sent this transfer (EIP-3009), so a signature of the wallet that paid must come with it. Sign the text in data.sign.message, then repeat the request with the headers in data.sign.headers. Nothing was used up.';

/** Chains tell time in whole seconds: a block of second 12 may have been made at 12.9. */
const BLOCK_TIME_GRAIN_MS = 1_000;

function isNewer(offeredSince: Date, paidAt: Date): boolean {
  return offeredSince.getTime() >= paidAt.getTime() + BLOCK_TIME_GRAIN_MS;
}

/** Says exactly what to sign and where to put it. */
function reserved(network: NetworkName, payer: string, now: Date, message?: string): MarketError {
  const timestamp = now.getTime();
  const chain = walletChainOf[networkFacts[network].kind];
  return new MarketError('payment_reserved', {
    ...(message !== undefined && { message }),
    data: {
      payer,
      sign: {
        message: ordinarySignedText(payer, timestamp),
        headers: {
          'X-Market-Wallet': payer,
          'X-Market-Wallet-Sig': '<signature of message>',
          'X-Market-Wallet-Sig-Ts': String(timestamp),
          'X-Market-Wallet-Chain': chain,
        },
        body: { wallet: payer, wallet_sig: '<signature of message>', wallet_sig_ts: timestamp, wallet_chain: chain },
      },
    },
  });
}

/** When the payer's time to contest a bare claim ends; null where there is none. */
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
