/** Refuses addresses that can receive money but should not, because the intended person could not use it. */
import { TransferRefused } from '../chain.ts';
import { SYSVAR_OWNER, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { SolanaAccount } from './solana-rpc.ts';

export function requireWallet(account: SolanaAccount | null | undefined): void {
  if (!account) return; // a wallet that never held SOL does not exist on chain
  if (account.executable) throw unfit('is a program');
  if (account.owner === SYSVAR_OWNER) throw unfit('is part of the network itself');
  if (account.owner === TOKEN_PROGRAM || account.owner === TOKEN_2022_PROGRAM)
    throw unfit('is a token account or mint; name the wallet that owns it');
}

export function unfit(what: string): TransferRefused {
  return new TransferRefused('destination', `The destination ${what}.`);
}
