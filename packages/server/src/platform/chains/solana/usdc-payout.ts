/** A payout in USDC moves it from the treasury's token account to the wallet's, which the treasury opens if the terms allow it. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { type SigningTerms, TransferRefused } from '../chain.ts';
import { createTokenAccount, transferUsdc } from './instructions.ts';
import { feeAccountOf, type SolanaContext } from './solana-context.ts';
import type { SolanaAccount } from './solana-rpc.ts';
import { deriveTokenAccount, readTokenAccount, TOKEN_ACCOUNT_BYTES } from './token-account.ts';
import { requireWallet, unfit } from './unfit-destination.ts';

/** The instructions, and the rent that the treasury pays to open the destination's account. */
export interface PayoutSteps {
  readonly steps: readonly Instruction[];
  readonly rentLamports: bigint;
}

export async function listUsdcSteps(
  context: SolanaContext,
  destination: Address,
  micros: bigint,
  terms: SigningTerms = {},
): Promise<PayoutSteps> {
  const { rpc, treasury, treasuryAccount, usdcMint } = context;
  const destinationAccount = await deriveTokenAccount(destination, usdcMint);
  const [wallet, tokens, ours] = await rpc.readAccounts([destination, destinationAccount, treasuryAccount]);
  requireWallet(wallet);
  requireFitTokenAccount(tokens, destination, usdcMint);
  requireFunds(ours, micros);
  const transfer = transferUsdc({ source: treasuryAccount, mint: usdcMint, destination: destinationAccount, owner: treasury, micros });
  // Do not add an instruction to open an existing account: its owner could close it first and keep our rent.
  if (tokens && tokens.data.length > 0) return { steps: [transfer], rentLamports: 0n };
  if (terms.refuseAccount !== undefined) throw new TransferRefused('account', terms.refuseAccount);
  const opening = createTokenAccount({
    payer: feeAccountOf(context),
    tokenAccount: destinationAccount,
    owner: destination,
    mint: usdcMint,
  });
  return { steps: [opening, transfer], rentLamports: await readMissingRent(context, tokens) };
}

/** Lamports already sent to the account's address count toward its rent. */
async function readMissingRent({ rpc }: SolanaContext, tokens: SolanaAccount | null | undefined): Promise<bigint> {
  const missing = (await rpc.readRentMinimum(TOKEN_ACCOUNT_BYTES)) - BigInt(tokens?.lamports ?? 0);
  return missing > 0n ? missing : 0n;
}

function requireFitTokenAccount(account: SolanaAccount | null | undefined, owner: Address, mint: Address): void {
  // The address may hold lamports before the account is opened; opening it still works.
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
