/**
 * Finds the lamports of a transaction that are creator fees, and their token. A mint among the accounts proves nothing, because anybody can
 * list it. Two instructions count:
 * - pump.fun's `distribute_creator_fees`, if the lamports come from the account where that coin's fees wait. Only its program moves them.
 * - a transfer followed by a memo that names the mint. Its payer declares this; the caller checks whether the payer created the token.
 *   It does not count for coins of pump.fun, which have the instruction above.
 */

import { creatorFeeMemoPrefix } from '@market/contract';
import type { Address } from '@solana/addresses';
import type { ShownCreatorFee } from '../coin-reader.ts';
import { canonicalAddress } from './base58-text.ts';
import { type ListedInstruction, listInstructions } from './listed-instructions.ts';
import { MEMO_PROGRAM, PUMP_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { deriveCurve, deriveSharedFees, isCurve } from './pump-accounts.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaTransaction } from './solana-rpc.ts';

type Vault = Pick<SolanaContext, 'rpc' | 'treasury'>;

export async function listCreatorFees(vault: Vault, found: SolanaTransaction): Promise<readonly ShownCreatorFee[]> {
  const { outer, inner } = listInstructions(found);
  return [...(await listDistributed(vault, [...outer, ...inner], inner)), ...(await listDeclared(vault, outer))];
}

/** The first eight bytes of the instruction, and the index of the mint among its accounts. */
const DISTRIBUTE = [
  { starts: Buffer.from('a572670079cef751', 'hex'), mintAt: 0 },
  { starts: Buffer.from('ffcb134ff444089f', 'hex'), mintAt: 1 },
];

async function listDistributed(
  { treasury }: Vault,
  all: readonly ListedInstruction[],
  inner: readonly ListedInstruction[],
): Promise<readonly ShownCreatorFee[]> {
  const mints = new Set(all.map(readDistributedMint).filter((mint) => mint !== undefined));
  const fees = await Promise.all(
    [...mints].map(async (mint) => {
      const source = await deriveSharedFees(mint);
      const moved = inner.map((step) => readTransfer(step, treasury)).filter((transfer) => transfer?.from === source);
      return { mint, amount: moved.reduce((sum, transfer) => sum + (transfer?.lamports ?? 0n), 0n), declaredBy: null };
    }),
  );
  return fees.filter(({ amount }) => amount > 0n);
}

function readDistributedMint({ program, accounts, data }: ListedInstruction): Address | undefined {
  if (program !== PUMP_PROGRAM) return undefined;
  const form = DISTRIBUTE.find(({ starts }) => data.subarray(0, starts.length).equals(starts));
  return form && canonicalAddress(accounts[form.mintAt] ?? '');
}

async function listDeclared({ rpc, treasury }: Vault, outer: readonly ListedInstruction[]): Promise<readonly ShownCreatorFee[]> {
  const declared = outer.flatMap((step, at) => {
    const [transfer, mint] = [readTransfer(step, treasury), readDeclaredMint(outer[at + 1])];
    return transfer === undefined || mint === undefined ? [] : [{ mint, amount: transfer.lamports, declaredBy: transfer.from }];
  });
  if (declared.length === 0) return [];
  const mints = [...new Set(declared.map(({ mint }) => mint))];
  const curves = await rpc.readAccounts(await Promise.all(mints.map(deriveCurve)));
  return declared.filter(({ mint }) => !isCurve(curves[mints.indexOf(mint)]));
}

function readDeclaredMint(step: ListedInstruction | undefined): Address | undefined {
  if (step?.program !== MEMO_PROGRAM) return undefined;
  const memo = step.data.toString('utf8');
  return memo.startsWith(creatorFeeMemoPrefix) ? canonicalAddress(memo.slice(creatorFeeMemoPrefix.length)) : undefined;
}

const TRANSFER = 2;

/** A transfer of SOL to the vault by the system program, signed by the payer or by the program that owns the payer's address. */
function readTransfer({ program, accounts, data }: ListedInstruction, vault: Address): { from: string; lamports: bigint } | undefined {
  const [from, to] = accounts;
  if (program !== SYSTEM_PROGRAM || data.length !== 12 || data.readUInt32LE(0) !== TRANSFER) return undefined;
  if (from === undefined || to !== vault || from === vault) return undefined;
  return { from, lamports: data.readBigUInt64LE(4) };
}
