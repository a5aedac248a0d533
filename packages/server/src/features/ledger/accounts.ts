/** Names for the accounts of the books, so that postings are easy to read. Owed balances are positive, held ones negative. */
import type { NetworkName } from '@market/contract';

export interface LedgerAccount {
  readonly kind:
    | 'treasury'
    | 'interchain'
    | 'unmatched'
    | 'escrow'
    | 'agent_payable'
    | 'refund_payable'
    | 'surplus_payable'
    | 'platform_fee'
    | 'in_flight'
    | 'earn_deposit'
    | 'earn_payable'
    | 'unbooked';
  readonly owner: string;
  readonly network: NetworkName;
}

/** An account in a book of the network's own coin, whose smallest unit is not the micro-USDC. */
export interface CoinAccount {
  readonly kind:
    | 'treasury'
    | 'creator_fee_agent'
    | 'creator_fee_partner'
    | 'creator_fee_buyback'
    | 'creator_fee_float'
    | 'creator_fee_in_flight'
    | 'unbooked';
  readonly owner: string;
  readonly network: 'solana-mainnet/sol';
}

/** USDC in our wallet on this network. */
export const treasury = (network: NetworkName): LedgerAccount => ({ kind: 'treasury', owner: '', network });
/** Loans between networks: positive on the network that kept money because the payout left elsewhere, negative on the network that paid. */
export const interchain = (network: NetworkName): LedgerAccount => ({ kind: 'interchain', owner: '', network });
/** A received transfer that is not claimed yet. */
export const unmatched = (network: NetworkName, reference: string): LedgerAccount => ({
  kind: 'unmatched',
  owner: `${network}/${reference}`,
  network,
});
/** Money held for an order or as a bounty stake; owner is the order or the stake. */
export const escrow = (network: NetworkName, subjectId: string): LedgerAccount => ({ kind: 'escrow', owner: subjectId, network });
export const agentPayable = (network: NetworkName, agentId: string): LedgerAccount => ({ kind: 'agent_payable', owner: agentId, network });
/** Money owed back to a payer; owner is the subject of the refund. */
export const refundPayable = (network: NetworkName, subjectId: string): LedgerAccount => ({
  kind: 'refund_payable',
  owner: subjectId,
  network,
});
/** Overpayment; owner is the payer. */
export const surplusPayable = (network: NetworkName, payer: string): LedgerAccount => ({ kind: 'surplus_payable', owner: payer, network });
export const platformFee = (network: NetworkName): LedgerAccount => ({ kind: 'platform_fee', owner: '', network });
/** Money reserved for one outgoing transfer. */
export const inFlight = (network: NetworkName, payoutId: string): LedgerAccount => ({ kind: 'in_flight', owner: payoutId, network });
/** Money received for an Earn deposit and not in its venue yet; owner is the deposit. */
export const earnDeposit = (network: NetworkName, depositId: string): LedgerAccount => ({
  kind: 'earn_deposit',
  owner: depositId,
  network,
});
/** Money from a venue that is owed to an Earn withdrawal; owner is the withdrawal. */
export const earnPayable = (network: NetworkName, withdrawalId: string): LedgerAccount => ({
  kind: 'earn_payable',
  owner: withdrawalId,
  network,
});
/** Money that left the treasury on chain without a matching payout in the books (negative). */
export const unbooked = (network: NetworkName): LedgerAccount => ({ kind: 'unbooked', owner: '', network });
