/** Calls to a Solana node, each with the shape its answer must have. An error stated by the node is thrown. */
import { type Address, isAddress } from '@solana/addresses';
import type { BlockhashLifetimeConstraint } from '@solana/transaction-messages';
import { z } from 'zod';
import { ChainUnavailable } from '../chain.ts';
import { type JsonRpcClient, RpcError } from '../json-rpc.ts';

const whole = z.int().nonnegative();
const addressText = z.custom<Address>((value) => typeof value === 'string' && isAddress(value));
const digits = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
/** The node's description of why a transaction failed; null when it succeeded. */
const failure = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

/** Lamports of a foreign account may exceed the exact integers; ours never do. */
const lamports = z.number().nonnegative().refine(Number.isInteger);

const tokenBalance = z.object({
  accountIndex: whole,
  mint: z.string(),
  owner: addressText,
  programId: z.string(),
  uiTokenAmount: z.object({ amount: digits }),
});

const instruction = z.object({ programIdIndex: whole, accounts: z.array(whole).default([]), data: z.string() });

const transaction = z.object({
  slot: whole,
  blockTime: z.int().nullish(),
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    message: z.object({
      header: z.object({ numRequiredSignatures: whole }),
      accountKeys: z.array(z.string()).min(1),
      instructions: z.array(instruction).default([]),
    }),
  }),
  meta: z.object({
    err: failure,
    fee: whole,
    preBalances: z.array(lamports),
    postBalances: z.array(lamports),
    preTokenBalances: z.array(tokenBalance),
    postTokenBalances: z.array(tokenBalance),
    /** Instructions that the instruction at `index` called. Null if the node did not record them. */
    innerInstructions: z.array(z.object({ index: whole, instructions: z.array(instruction) })).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
});

const status = z.object({
  slot: whole,
  err: failure,
  confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
});

const statuses = z.object({ context: z.object({ slot: whole }), value: z.tuple([status.nullable()]) });

const listedSignatures = z.array(
  z.object({ signature: z.string(), slot: whole, err: failure, memo: z.string().nullish(), confirmationStatus: z.string().nullish() }),
);

const account = z.object({
  lamports: whole,
  owner: z.string(),
  executable: z.boolean(),
  data: z.tuple([z.base64(), z.literal('base64')]).transform(([text]) => Buffer.from(text, 'base64')),
});

const latestBlockhash = z.object({ value: z.object({ blockhash: addressText, lastValidBlockHeight: whole }) });
const epochInfo = z.object({ absoluteSlot: whole, blockHeight: whole });
const simulation = z.object({ value: z.object({ err: failure }) });
const messageFee = z.object({ value: whole.nullable() });
const priorityFees = z.array(z.object({ prioritizationFee: whole }));

export type TransactionFailure = NonNullable<z.output<typeof failure>>;
export type SolanaTransaction = z.output<typeof transaction>;
export type SolanaStatus = z.output<typeof status>;
export type SolanaAccount = z.output<typeof account>;
export type ListedSignature = z.output<typeof listedSignatures>[number];

const SIGNATURES_PER_PAGE = 1000;
/** One byte more than a token account, to detect longer accounts. Other accounts may hold megabytes. */
const MAX_ACCOUNT_BYTES = 166;

export interface SignaturePage {
  readonly before?: string | undefined;
  readonly until?: string | undefined;
  /** A node that has not reached this slot must refuse: its answer would be incomplete. */
  readonly minContextSlot?: number | undefined;
  /** Default: `finalized`. */
  readonly commitment?: 'confirmed' | 'finalized';
}

export type SolanaRpc = ReturnType<typeof createSolanaRpc>;

export function createSolanaRpc(client: JsonRpcClient) {
  async function ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T> {
    try {
      return await client.call(method, params, shape);
    } catch (error) {
      if (error instanceof RpcError) throw unusable(method, error);
      throw error;
    }
  }

  return {
    findTransaction: (reference: string) =>
      ask(
        'getTransaction',
        [reference, { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }],
        transaction.nullable(),
      ),

    /** `slot` is the slot that the answering node has reached. */
    async findStatus(reference: string): Promise<{ readonly slot: number; readonly status: SolanaStatus | null }> {
      const { context, value } = await ask('getSignatureStatuses', [[reference], { searchTransactionHistory: true }], statuses);
      return { slot: context.slot, status: value[0] };
    },

    /** Newest first; only final ones, unless `page` sets another commitment. */
    listSignatures: (address: Address, page: SignaturePage) =>
      ask('getSignaturesForAddress', [address, { commitment: 'finalized', ...page, limit: SIGNATURES_PER_PAGE }], listedSignatures),

    /** Accounts with the first bytes of their data; null for a missing account. */
    async readAccounts(addresses: readonly Address[], bytes = MAX_ACCOUNT_BYTES): Promise<readonly (SolanaAccount | null)[]> {
      const shape = z.object({ value: z.array(account.nullable()).length(addresses.length) });
      const view = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: bytes } };
      return (await ask('getMultipleAccounts', [addresses, view], shape)).value;
    },

    async readLatestBlockhash(): Promise<BlockhashLifetimeConstraint> {
      const { value } = await ask('getLatestBlockhash', [{ commitment: 'confirmed' }], latestBlockhash);
      const blockhash = value.blockhash as string as BlockhashLifetimeConstraint['blockhash'];
      return { blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) };
    },

    async readFinalHead(): Promise<{ readonly slot: number; readonly blockHeight: bigint }> {
      const { absoluteSlot, blockHeight } = await ask('getEpochInfo', [{ commitment: 'finalized' }], epochInfo);
      return { slot: absoluteSlot, blockHeight: BigInt(blockHeight) };
    },

    /** Minimum balance of an account with this many bytes of data, in lamports. */
    async readRentMinimum(bytes: number): Promise<bigint> {
      return BigInt(await ask('getMinimumBalanceForRentExemption', [bytes, { commitment: 'confirmed' }], whole));
    },

    /** Fee of a message, in lamports; its blockhash must be recent. */
    async readFee(message: string): Promise<bigint> {
      const { value } = await ask('getFeeForMessage', [message, { commitment: 'confirmed' }], messageFee);
      if (value === null) throw new ChainUnavailable('solana-mainnet', 'the node does not know the blockhash it just gave');
      return BigInt(value);
    },

    readGenesisHash: () => ask('getGenesisHash', [], z.string()),

    /** Simulates the transaction. Ignores its signatures and blockhash. */
    async findFailureBySimulation(bytes: string): Promise<TransactionFailure | null> {
      const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true };
      return (await ask('simulateTransaction', [bytes, options], simulation)).value.err;
    },

    /** Recent priority fees on these accounts, in micro-lamports per compute unit. Some providers do not offer this call. */
    async listPriorityFees(addresses: readonly Address[]): Promise<readonly number[]> {
      try {
        const fees = await client.call('getRecentPrioritizationFees', [addresses], priorityFees);
        return fees.map(({ prioritizationFee }) => prioritizationFee);
      } catch (error) {
        if (error instanceof RpcError) return [];
        throw error;
      }
    },

    /** Throws `RpcError` with the node's own message; the caller interprets it. */
    send: (bytes: string) =>
      client.call('sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }], z.string()),
  };
}

function unusable(method: string, error: RpcError): ChainUnavailable {
  return new ChainUnavailable('solana-mainnet', `the node refused ${method}: ${error.message}`, error);
}
