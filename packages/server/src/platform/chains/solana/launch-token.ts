/**
 * Makes a Token-2022 mint in one transaction: all of it lands or nothing. The account of a mint can be made only once, so several signed
 * transactions of one plan make one token at most.
 */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { ChainUnavailable, type SignedTransfer, type TransferOutcome, TransferRefused } from '../chain.ts';
import type { PlannedMint } from '../token-launcher.ts';
import { requireAddress } from './base58-text.ts';
import { composeSigned, composeTrial } from './compose-transaction.ts';
import { createTokenAccount, writeMemo } from './instructions.ts';
import {
  createMintAccount,
  forbidTransfers,
  giveUpMinting,
  initializeMint,
  mintTo,
  pointToMetadata,
  writeMetadata,
} from './mint-instructions.ts';
import { bareMintBytes, mintBytes } from './mint-size.ts';
import { findPayoutMemo } from './payout-memo.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';
import { judgeSigned } from './read-outcome.ts';
import type { SolanaContext } from './solana-context.ts';
import type { TransactionFailure } from './solana-rpc.ts';
import type { SolanaSigner } from './solana-signer.ts';
import { deriveTokenAccount } from './token-account.ts';
import { offerFee } from './transaction-fee.ts';
import { walkSignatures } from './walk-signatures.ts';

export async function signMint(context: SolanaContext, planned: PlannedMint, mintKey: SolanaSigner): Promise<SignedTransfer> {
  const { rpc, signer, treasury } = context;
  if (signer === undefined) throw new TransferRefused('other', 'The wallet has no key here, so it cannot pay.');
  if (mintKey.address !== planned.mint) throw new TransferRefused('other', 'The key of the mint is not the planned one.');
  const steps = await listMintSteps(context, planned);
  const failure = await rpc.findFailureBySimulation(composeTrial(treasury, steps));
  if (failure !== null) throw refusalOf(failure);
  const lifetime = await rpc.readLatestBlockhash();
  const signed = await composeSigned(mintKey, lifetime, steps, signer);
  return { ...signed, validity: lifetime.lastValidBlockHeight.toString() };
}

async function listMintSteps(context: SolanaContext, planned: PlannedMint): Promise<readonly Instruction[]> {
  const { rpc, treasury: wallet } = context;
  const { name, symbol, uri, nonTransferable } = planned;
  const mint = requireAddress(planned.mint, 'mint');
  const memo = findPayoutMemo(planned.intentId);
  if (memo === undefined) throw new TransferRefused('other', 'The intent id does not fit into a memo.');
  const [fee, lamports, tokenAccount] = await Promise.all([
    offerFee(context, wallet),
    rpc.readRentMinimum(mintBytes(planned)),
    deriveTokenAccount(wallet, mint, TOKEN_2022_PROGRAM),
  ]);
  return [
    ...fee,
    createMintAccount({ payer: wallet, mint, lamports, bytes: bareMintBytes({ nonTransferable }) }),
    pointToMetadata(mint, wallet),
    ...(nonTransferable ? [forbidTransfers(mint)] : []),
    initializeMint(mint, planned.decimals, wallet),
    writeMetadata({ mint, authority: wallet, name, symbol, uri }),
    createTokenAccount({ payer: wallet, tokenAccount, owner: wallet, mint, program: TOKEN_2022_PROGRAM }),
    mintTo({ mint, tokenAccount, authority: wallet, amount: planned.supply }),
    giveUpMinting(mint, wallet),
    writeMemo(memo),
  ];
}

export async function readMintOutcome(context: SolanaContext, planned: PlannedMint, signed: SignedTransfer): Promise<TransferOutcome> {
  const mint = requireAddress(planned.mint, 'mint');
  return await judgeSigned(context.rpc, signed, {
    findOther: async ({ slot }) => ((await isMade(context, mint)) ? await findMaking(context, mint, slot) : undefined),
    explain: (failure) => refusalOf(failure).message,
  });
}

export async function isMade({ rpc }: SolanaContext, mint: Address): Promise<boolean> {
  const [account] = await rpc.readAccounts([mint]);
  return account?.owner === TOKEN_2022_PROGRAM;
}

/** The first successful transaction that names the mint made it. */
async function findMaking({ rpc }: SolanaContext, mint: Address, minContextSlot: number): Promise<string> {
  let first: string | undefined;
  for await (const page of walkSignatures(rpc, mint, { minContextSlot })) {
    first = page.findLast(({ err }) => err === null)?.signature ?? first;
  }
  if (first === undefined) throw new ChainUnavailable('solana-mainnet', `the mint ${mint} exists, but the node does not show what made it`);
  return first;
}

const CREATE_MINT_PLACE = 2;
/** The system program's own number for "not enough". */
const NOT_ENOUGH = 1;

/** What a trial run or a landed transaction says, for people. */
function refusalOf(failure: TransactionFailure): TransferRefused | ChainUnavailable {
  const poor = new TransferRefused('insufficient_native', 'The wallet holds too little SOL for this and its fee.');
  if (typeof failure === 'string') {
    if (failure === 'InsufficientFundsForFee' || failure === 'AccountNotFound') return poor;
    return new ChainUnavailable('solana-mainnet', `the trial run did not work: ${failure}`);
  }
  if (failure['InsufficientFundsForRent'] !== undefined) return poor;
  const detail = failure['InstructionError'];
  if (!Array.isArray(detail)) return new ChainUnavailable('solana-mainnet', `the trial run did not work: ${JSON.stringify(failure)}`);
  const [place, error] = detail as [unknown, unknown];
  const isPoor = typeof error === 'object' && error !== null && 'Custom' in error && error.Custom === NOT_ENOUGH;
  if (isPoor && (place === CREATE_MINT_PLACE || Number(place) > CREATE_MINT_PLACE)) return poor;
  return new TransferRefused('other', `The network refused the mint (instruction ${String(place)}: ${JSON.stringify(error)}).`);
}
