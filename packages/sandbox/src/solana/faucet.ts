// The source of the sandbox's coins: a random key that holds the SOL and may mint the USDC. It sends ordinary transactions, so every
// coin has a history. The key works on this chain only, whose blockhashes no other chain knows.

import { randomInt } from 'node:crypto';
import type { AccountImage } from './account-image.ts';
import { associatedTokenAddress } from './associated-token-address.ts';
import { findKeyBytes } from './base58.ts';
import type { Chain } from './chain.ts';
import { composeTransaction, type Instruction } from './compose-transaction.ts';
import type { Keypair } from './keypair.ts';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC_DECIMALS, USDC_MINT } from './programs.ts';
import { createMintData } from './token-account.ts';
import { describeTransactionError } from './transaction-error.ts';
import { decodeTransaction } from './wire-transaction.ts';

const FAUCET_LAMPORTS = 5_000_000 * 1_000_000_000;
const MINT_LAMPORTS = 1_461_600;
const U64_LIMIT = 2n ** 64n;
const COMPUTE_UNITS = 300_000;
const DISTINCT_LIMITS = 100_000;

export type Faucet = ReturnType<typeof createFaucet>;

export function listGenesisAccounts(keypair: Keypair): ReadonlyMap<string, AccountImage> {
  const mint = createMintData(keypair.publicKey, USDC_DECIMALS);
  return new Map([
    [keypair.address, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() }],
    [USDC_MINT, { lamports: MINT_LAMPORTS, owner: TOKEN_PROGRAM, executable: false, data: mint }],
  ]);
}

export function createFaucet(chain: Chain, keypair: Keypair) {
  let distinct = randomInt(DISTINCT_LIMITS);

  function send(instructions: readonly Instruction[]): string {
    // Vary the compute limit, because two equal transfers within one slot would be the same transaction.
    distinct = (distinct + 1) % DISTINCT_LIMITS;
    const slot = chain.slotAt('processed');
    const bytes = composeTransaction(keypair, chain.blockhash(slot), [setComputeLimit(COMPUTE_UNITS + distinct), ...instructions]);
    const transaction = chain.resolve(decodeTransaction(bytes), slot);
    if ('error' in transaction) throw new Error(`The faucet built a faulty transaction: ${transaction.error}.`);
    const { error } = chain.land(transaction);
    if (error !== null) throw new Error(`The sandbox faucet could not send: ${describeTransactionError(error)}.`);
    return transaction.signature;
  }

  function giveLamports(address: string, lamports: bigint): Instruction[] {
    checkGift(address, lamports);
    const accounts = [keypair.address, address].map((account) => ({ address: account, isWritable: true }));
    return [{ program: SYSTEM_PROGRAM, accounts, data: packU64(Buffer.of(2, 0, 0, 0), lamports) }];
  }

  function giveUsdc(address: string, micros: bigint): Instruction[] {
    checkGift(address, micros);
    const tokenAccount = associatedTokenAddress(address, USDC_MINT);
    return [createTokenAccount(keypair.address, address, tokenAccount), mintUsdc(keypair.address, tokenAccount, micros)];
  }

  /** Checks accounts as well as history, because the chain forgets its oldest transactions. */
  function wasEverUsed(address: string): boolean {
    const slot = chain.slotAt('processed');
    const accounts = [address, associatedTokenAddress(address, USDC_MINT)];
    return chain.history.listForAddress(address).length > 0 || accounts.some((account) => chain.findAccount(account, slot) !== undefined);
  }

  return {
    sendLamports: (address: string, lamports: bigint): string => send(giveLamports(address, lamports)),
    sendUsdc: (address: string, micros: bigint): string => send(giveUsdc(address, micros)),

    /** Sends both coins in one transaction, so that a wallet has both or was never used. */
    sendFirstCoins(address: string, micros: bigint, lamports: bigint): void {
      if (!wasEverUsed(address)) send([...giveLamports(address, lamports), ...giveUsdc(address, micros)]);
    },
  };
}

function checkGift(address: string, amount: bigint): void {
  if (findKeyBytes(address, 32) === undefined) throw new RangeError(`${address} is not a Solana address.`);
  if (amount <= 0n || amount >= U64_LIMIT) throw new RangeError('The amount must be positive and fit 64 bits.');
}

function setComputeLimit(units: number): Instruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2, 0);
  data.writeUInt32LE(units, 1);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}

function createTokenAccount(payer: string, owner: string, tokenAccount: string): Instruction {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: payer, isWritable: true },
      { address: tokenAccount, isWritable: true },
      { address: owner, isWritable: false },
      { address: USDC_MINT, isWritable: false },
      { address: SYSTEM_PROGRAM, isWritable: false },
      { address: TOKEN_PROGRAM, isWritable: false },
    ],
    data: Buffer.of(1), // create it unless it exists
  };
}

function mintUsdc(authority: string, tokenAccount: string, micros: bigint): Instruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: USDC_MINT, isWritable: true },
      { address: tokenAccount, isWritable: true },
      { address: authority, isWritable: false },
    ],
    data: Buffer.concat([packU64(Buffer.of(14), micros), Buffer.of(USDC_DECIMALS)]),
  };
}

function packU64(prefix: Buffer, value: bigint): Buffer {
  const packed = Buffer.alloc(8);
  packed.writeBigUInt64LE(value);
  return Buffer.concat([prefix, packed]);
}
