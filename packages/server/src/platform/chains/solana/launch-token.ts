/**
 * Creates a mint in one transaction, so all of it lands or nothing. The account of a mint can be created only once. So several signed
 * transactions of one plan make at most one token, whichever launcher signed them.
 */
import type { Address } from '@solana/addresses';
import { ChainUnavailable, type SignedTransfer, type TransferOutcome, TransferRefused } from '../chain.ts';
import type { PlannedMint } from '../token-launcher.ts';
import { requireAddress } from './base58-text.ts';
import { composeSigned, composeTrial } from './compose-transaction.ts';
import { writeMemo } from './instructions.ts';
import type { MintRecipe } from './mint-recipe.ts';
import { mintComputeUnits } from './mint-size.ts';
import { findPayoutMemo } from './payout-memo.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';
import { pumpFunRecipe } from './pump-fun-recipe.ts';
import { judgeSigned } from './read-outcome.ts';
import type { SolanaContext } from './solana-context.ts';
import type { TransactionFailure } from './solana-rpc.ts';
import type { SolanaSigner } from './solana-signer.ts';
import { token2022Recipe } from './token-2022-recipe.ts';
import { offerFee } from './transaction-fee.ts';
import { walkSignatures } from './walk-signatures.ts';

export async function signMint(context: SolanaContext, planned: PlannedMint, mintKey: SolanaSigner): Promise<SignedTransfer> {
  const { rpc, signer, treasury } = context;
  if (signer === undefined) throw new TransferRefused('other', 'The wallet has no key here, so it cannot pay.');
  if (mintKey.address !== planned.mint) throw new TransferRefused('other', 'The key of the mint is not the planned one.');
  const memo = findPayoutMemo(planned.intentId);
  if (memo === undefined) throw new TransferRefused('other', 'The intent id does not fit into a memo.');
  const recipe = recipeFor(context, planned);
  const [fee, made] = await Promise.all([
    offerFee(context, treasury, mintComputeUnits(context.tokenLauncher, planned)),
    recipe.listSteps(context, planned, requireAddress(planned.mint, 'mint')),
  ]);
  const steps = [...fee, ...made, writeMemo(memo)];
  const failure = await rpc.findFailureBySimulation(composeTrial(treasury, steps));
  if (failure !== null) throw refusalOf(failure, recipe);
  const lifetime = await rpc.readLatestBlockhash();
  const signed = await composeSigned(mintKey, lifetime, steps, signer);
  return { ...signed, validity: lifetime.lastValidBlockHeight.toString() };
}

/** Only our own recipe makes tokens that cannot be transferred. */
function recipeFor({ tokenLauncher }: SolanaContext, { nonTransferable }: PlannedMint): MintRecipe {
  return tokenLauncher === 'pump_fun' && !nonTransferable ? pumpFunRecipe : token2022Recipe;
}

export async function readMintOutcome(context: SolanaContext, planned: PlannedMint, signed: SignedTransfer): Promise<TransferOutcome> {
  const mint = requireAddress(planned.mint, 'mint');
  return await judgeSigned(context.rpc, signed, {
    findOther: ({ slot }) => findMaking(context, mint, slot),
    explain: (failure) => refusalOf(failure, recipeFor(context, planned)).message,
  });
}

/** True for mints of both launchers: both use Token-2022. */
export async function isMade({ rpc }: SolanaContext, mint: Address): Promise<boolean> {
  const [account] = await rpc.readAccounts([mint]);
  return account?.owner === TOKEN_2022_PROGRAM;
}

/** The first successful transaction that names the mint created it. Undefined when there is no mint. */
export async function findMaking(context: SolanaContext, mint: Address, minContextSlot?: number): Promise<string | undefined> {
  if (!(await isMade(context, mint))) return undefined;
  let first: string | undefined;
  for await (const page of walkSignatures(context.rpc, mint, minContextSlot === undefined ? {} : { minContextSlot })) {
    first = page.findLast(({ err }) => err === null)?.signature ?? first;
  }
  if (first === undefined) throw new ChainUnavailable('solana-mainnet', `the mint ${mint} exists, but the node does not show what made it`);
  return first;
}

const FIRST_STEP_POSITION = 2;
/** Error number of the system program for "not enough". A program that calls it passes the number on. */
const NOT_ENOUGH = 1;

/** Explains the failure of a simulation or a landed transaction for people. */
function refusalOf(failure: TransactionFailure, { words }: MintRecipe): TransferRefused | ChainUnavailable {
  const poor = new TransferRefused('insufficient_native', 'The wallet holds too little SOL for this and its fee.');
  if (typeof failure === 'string') {
    if (failure === 'InsufficientFundsForFee' || failure === 'AccountNotFound') return poor;
    return new ChainUnavailable('solana-mainnet', `the trial run did not work: ${failure}`);
  }
  if (failure['InsufficientFundsForRent'] !== undefined) return poor;
  const detail = failure['InstructionError'];
  if (!Array.isArray(detail)) return new ChainUnavailable('solana-mainnet', `the trial run did not work: ${JSON.stringify(failure)}`);
  const [position, error] = detail as [unknown, unknown];
  const custom = typeof error === 'object' && error !== null && 'Custom' in error ? Number(error.Custom) : undefined;
  if (custom === NOT_ENOUGH && Number(position) >= FIRST_STEP_POSITION) return poor;
  const known = custom === undefined ? undefined : words.get(custom);
  return new TransferRefused('other', known ?? `The network refused the mint (instruction ${String(position)}: ${JSON.stringify(error)}).`);
}
