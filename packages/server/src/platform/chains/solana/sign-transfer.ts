/** Prepares a payout: everything that would make it fail is found before the treasury signs. */
import { type Address, isOffCurveAddress } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../chain.ts';
import { canonicalAddress } from './base58-text.ts';
import { composeSigned, composeTrial } from './compose-transaction.ts';
import { explainFailure } from './explain-failure.ts';
import { createTokenAccount, transferUsdc, writeMemo } from './instructions.ts';
import { findPayoutMemo } from './payout-memo.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaAccount } from './solana-rpc.ts';
import { deriveTokenAccount, readTokenAccount } from './token-account.ts';
import { offerFee } from './transaction-fee.ts';

const U64_LIMIT = 2n ** 64n;

interface Payout {
  readonly destination: Address;
  readonly destinationAccount: Address;
  readonly micros: bigint;
  readonly memo: string;
}

export async function signTransfer(context: SolanaContext, transfer: OutgoingTransfer): Promise<SignedTransfer> {
  const { signer, rpc } = context;
  if (signer === undefined) throw new TransferRefused('other', 'The Solana treasury has no key here, so it cannot pay out.');
  const payout = await readPayout(context, transfer);
  await requireAccounts(context, payout);
  const instructions = [...(await offerFee(context)), ...listPayoutSteps(context, payout)];
  await requireSuccessInTrial(context, instructions);
  const lifetime = await rpc.readLatestBlockhash();
  const signed = await composeSigned(signer, lifetime, instructions);
  return { ...signed, validity: lifetime.lastValidBlockHeight.toString() };
}

async function readPayout({ treasury, usdcMint }: SolanaContext, transfer: OutgoingTransfer): Promise<Payout> {
  const { intentId, usdcMicros } = transfer;
  const memo = findPayoutMemo(intentId);
  if (memo === undefined)
    throw new TransferRefused('other', 'The intent id does not fit into a memo: use up to 180 visible ASCII characters.');
  if (usdcMicros <= 0n || usdcMicros >= U64_LIMIT) throw new TransferRefused('other', 'The amount must be positive and fit 64 bits.');
  const destination = canonicalAddress(transfer.destination);
  if (destination === undefined) throw unfit('is not a Solana address');
  if (destination === treasury) throw unfit('is the treasury itself');
  // Nobody holds a key for such an address; only some program could move the money again, and most never would.
  if (isOffCurveAddress(destination)) throw unfit('belongs to a program and not to a wallet');
  return { destination, destinationAccount: await deriveTokenAccount(destination, usdcMint), micros: usdcMicros, memo };
}

async function requireAccounts(context: SolanaContext, { destination, destinationAccount, micros }: Payout): Promise<void> {
  const accounts = await context.rpc.readAccounts([destination, destinationAccount, context.treasuryAccount]);
  const [wallet, tokens, ours] = accounts;
  requireWallet(wallet);
  requireFitTokenAccount(tokens, destination, context.usdcMint);
  const treasury = readTokenAccount(ours);
  if (treasury?.frozen) throw new TransferRefused('other', 'The treasury’s USDC account is frozen by the issuer.');
  if (treasury === undefined || treasury.micros < micros)
    throw new TransferRefused('insufficient_usdc', 'The treasury has too little USDC for this transfer.');
}

function requireWallet(account: SolanaAccount | null | undefined): void {
  if (!account) return; // a wallet that never held SOL does not exist on chain
  if (account.executable) throw unfit('is a program');
  if (account.owner === TOKEN_PROGRAM || account.owner === TOKEN_2022_PROGRAM)
    throw unfit('is a token account or mint; name the wallet that owns it');
}

function requireFitTokenAccount(account: SolanaAccount | null | undefined, owner: Address, mint: Address): void {
  // Somebody may have sent lamports to the address before the account was opened; opening it still works.
  if (!account || account.data.length === 0) return;
  const tokens = readTokenAccount(account);
  if (tokens === undefined || tokens.mint !== mint || tokens.owner !== owner) throw unfit('has given away its USDC account');
  if (tokens.frozen) throw unfit('has a USDC account that is frozen by the issuer');
}

function unfit(what: string): TransferRefused {
  return new TransferRefused('destination', `The destination ${what}.`);
}

/** After the two fee instructions; `explainFailure` relies on the order. */
function listPayoutSteps({ treasury, treasuryAccount, usdcMint }: SolanaContext, payout: Payout): Instruction[] {
  const { destination, destinationAccount, micros, memo } = payout;
  return [
    createTokenAccount({ payer: treasury, tokenAccount: destinationAccount, owner: destination, mint: usdcMint }),
    transferUsdc({ source: treasuryAccount, mint: usdcMint, destination: destinationAccount, owner: treasury, micros }),
    writeMemo(memo),
  ];
}

export async function requireSuccessInTrial({ rpc, treasury }: SolanaContext, instructions: readonly Instruction[]): Promise<void> {
  const failure = await rpc.findFailureBySimulation(composeTrial(treasury, instructions));
  if (failure === null) return;
  const explained = explainFailure(failure);
  if (explained === undefined) throw new ChainUnavailable('solana-mainnet', `the trial run did not work: ${JSON.stringify(failure)}`);
  throw new TransferRefused(explained.reason, explained.message);
}
