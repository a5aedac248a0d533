/** A payout in USDC goes from the treasury's token account to the wallet's, which is opened where there is none yet. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { TransferRefused } from '../chain.ts';
import { createTokenAccount, transferUsdc } from './instructions.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaAccount } from './solana-rpc.ts';
import { deriveTokenAccount, readTokenAccount } from './token-account.ts';
import { requireWallet, unfit } from './unfit-destination.ts';

export async function listUsdcSteps(context: SolanaContext, destination: Address, micros: bigint): Promise<readonly Instruction[]> {
  const { rpc, treasury, treasuryAccount, usdcMint } = context;
  const destinationAccount = await deriveTokenAccount(destination, usdcMint);
  const [wallet, tokens, ours] = await rpc.readAccounts([destination, destinationAccount, treasuryAccount]);
  requireWallet(wallet);
  requireFitTokenAccount(tokens, destination, usdcMint);
  requireFunds(ours, micros);
  return [
    createTokenAccount({ payer: treasury, tokenAccount: destinationAccount, owner: destination, mint: usdcMint }),
    transferUsdc({ source: treasuryAccount, mint: usdcMint, destination: destinationAccount, owner: treasury, micros }),
  ];
}

function requireFitTokenAccount(account: SolanaAccount | null | undefined, owner: Address, mint: Address): void {
  // Somebody may have sent lamports to the address before the account was opened; opening it still works.
  if (!account || account.data.length === 0) return;
  const tokens = readTokenAccount(account);
  if (tokens === undefined || tokens.mint !== mint || tokens.owner !== owner) throw unfit('has given away its USDC account');
  if (tokens.frozen) throw unfit('has a USDC account that is frozen by the issuer');
}

function requireFunds(ours: SolanaAccount | null | undefined, micros: bigint): void {
  const treasury = readTokenAccount(ours);
  if (treasury?.frozen) throw new TransferRefused('other', 'The treasury’s USDC account is frozen by the issuer.');
  if (treasury === undefined || treasury.micros < micros)
    throw new TransferRefused('insufficient_usdc', 'The treasury has too little USDC for this transfer.');
}
