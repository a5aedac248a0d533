/** Accounts of creator fees, in the book that counts lamports. Owed is positive, held is negative. */
import type { CoinAccount } from '../../ledger/index.ts';

const network = 'solana-mainnet/sol';

/** SOL in the vault. */
export const vault: CoinAccount = { kind: 'treasury', owner: '', network };
/** The agent's share of one token. */
export const agentShare = (mint: string): CoinAccount => ({ kind: 'creator_fee_agent', owner: mint, network });
export const partnerShare: CoinAccount = { kind: 'creator_fee_partner', owner: '', network };
export const buybackShare: CoinAccount = { kind: 'creator_fee_buyback', owner: '', network };
/** SOL of the vault that belongs to no token. It pays network fees. */
export const float: CoinAccount = { kind: 'creator_fee_float', owner: '', network };
/** SOL that left the vault and is charged to no share. */
export const unbookedSol: CoinAccount = { kind: 'unbooked', owner: '', network };
/** SOL reserved for one payout, with its network fee. */
export const feeInFlight = (payoutId: string): CoinAccount => ({ kind: 'creator_fee_in_flight', owner: payoutId, network });

export function shareOf({ share, mint }: { readonly share: string; readonly mint: string | null }): CoinAccount {
  if (share === 'agent' && mint !== null) return agentShare(mint);
  return share === 'partner' ? partnerShare : buybackShare;
}
