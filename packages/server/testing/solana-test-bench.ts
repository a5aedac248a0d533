/** For tests: the sandbox's real Solana node with a clock that moves only on command, and wallets that can sign anything. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSolanaNode } from '@market/sandbox/solana';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import {
  appendTransactionMessageInstruction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getBase64EncodedWireTransaction, type Transaction } from '@solana/transactions';
import { z } from 'zod';
import { createJsonRpcClient, type JsonRpcClient, type JsonRpcOptions } from '../src/platform/chains/json-rpc.ts';
import { composeTransaction } from '../src/platform/chains/solana/compose-transaction.ts';
import { createTokenAccount } from '../src/platform/chains/solana/instructions.ts';
import { createSolanaChain } from '../src/platform/chains/solana/solana-chain.ts';
import type { SolanaChainOptions } from '../src/platform/chains/solana/solana-context.ts';
import { createSolanaRpc } from '../src/platform/chains/solana/solana-rpc.ts';
import { createLocalSolanaSigner, type SolanaSigner } from '../src/platform/chains/solana/solana-signer.ts';
import { deriveTokenAccount } from '../src/platform/chains/solana/token-account.ts';
import { createAccount, initializeMint } from './solana-test-instructions.ts';

export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
const SLOT_MS = 400;
/** Slots until a block is final, as on mainnet. */
const FINAL_SLOTS = 31;
const LIFETIME_SLOTS = 150;

export type Wallet = SolanaSigner & { readonly address: Address };
export type SolanaBench = Awaited<ReturnType<typeof openSolanaBench>>;

export function createWallet(): Wallet {
  return createLocalSolanaSigner(randomBytes(32).toString('hex')) as Wallet;
}

/** A client that answers some methods itself and forwards the others to the real node. */
export function interpose(rpc: JsonRpcClient, answers: Record<string, (real: () => Promise<unknown>) => unknown>): JsonRpcClient {
  return {
    async call(method, params, shape) {
      const answer = answers[method];
      return answer === undefined
        ? rpc.call(method, params, shape)
        : shape.parse(await answer(() => rpc.call(method, params, z.unknown())));
    },
  };
}

export async function openSolanaBench() {
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'market-solana-'));
  let clock = Date.UTC(2026, 0, 1);
  const node = await startSolanaNode({ port: 0, stateFolder, slotMilliseconds: SLOT_MS, now: () => clock });
  const connect = (limits: Pick<JsonRpcOptions, 'timeoutMs' | 'tries'> = {}): JsonRpcClient =>
    createJsonRpcClient({ network: 'solana-mainnet', urls: [node.url], ...limits });
  const rpc = connect();
  const questions = createSolanaRpc(rpc);
  const treasury = createWallet();

  const pass = (slots: number): void => {
    clock += slots * SLOT_MS;
  };

  async function sign(unsigned: Transaction, signers: readonly Wallet[]): Promise<string> {
    const message = Uint8Array.from(unsigned.messageBytes);
    const signed = await Promise.all(signers.map(async ({ address, signMessage }) => [address, await signMessage(message)] as const));
    // The unsigned transaction already lists the signers in the message's order.
    const signatures = { ...unsigned.signatures, ...Object.fromEntries(signed) } as Transaction['signatures'];
    return getBase64EncodedWireTransaction({ ...unsigned, signatures });
  }

  async function send(instructions: readonly Instruction[], signers: readonly [Wallet, ...Wallet[]], slotsAfter = 2): Promise<string> {
    const unsigned = composeTransaction(signers[0].address, await questions.readLatestBlockhash(), instructions);
    const reference = await questions.send(await sign(unsigned, signers));
    pass(slotsAfter);
    return reference;
  }

  async function sendThroughTable(instruction: Instruction, signer: Wallet, table: Address, entries: Address[]): Promise<string> {
    const empty = setTransactionMessageFeePayer(signer.address, createTransactionMessage({ version: 0 }));
    const timed = setTransactionMessageLifetimeUsingBlockhash(await questions.readLatestBlockhash(), empty);
    const full = appendTransactionMessageInstruction(instruction, timed);
    const short = compressTransactionMessageUsingAddressLookupTables(full, { [table]: entries });
    const reference = await questions.send(await sign(compileTransaction(short), [signer]));
    pass(2);
    return reference;
  }

  return {
    node,
    rpc,
    connect,
    treasury,
    treasuryAccount: await deriveTokenAccount(treasury.address, USDC_MINT),
    pass,
    send,
    sendThroughTable,
    readFinalSlot: async () => (await questions.readFinalHead()).slot,
    now: () => new Date(clock),
    settle: () => pass(FINAL_SLOTS + 2),
    /** Passes until no transaction signed so far can land any more, and that is final. */
    outlive: () => pass(LIFETIME_SLOTS + FINAL_SLOTS + 2),

    openChain: (options: Partial<SolanaChainOptions> = {}) =>
      createSolanaChain({ network: 'solana-mainnet', usdcMint: USDC_MINT, treasury, rpc, ...options }),

    /** The memo in the transaction's last instruction, read from the chain. */
    async readMemo(reference: string): Promise<string> {
      const shape = z.object({ transaction: z.object({ message: z.object({ instructions: z.array(z.object({ data: z.string() })) }) }) });
      const { transaction } = await rpc.call('getTransaction', [reference, { encoding: 'json' }], shape);
      return Buffer.from(base58.decode(transaction.message.instructions.at(-1)?.data ?? '')).toString();
    },

    /** Gives a wallet SOL and USDC. */
    async fund(wallet: Wallet, usdcMicros: bigint, lamports = 1_000_000_000n): Promise<Address> {
      if (lamports > 0n) await node.fundNative(wallet.address, lamports);
      if (usdcMicros > 0n) await node.fundUsdc(wallet.address, usdcMicros);
      pass(2);
      return deriveTokenAccount(wallet.address, USDC_MINT);
    },

    /** Creates a mint with every power that a real issuer has. */
    async issueToken(issuer: Wallet, mint: Wallet): Promise<void> {
      await send([createAccount(issuer.address, mint.address, 82), initializeMint(mint.address, issuer.address)], [issuer, mint]);
    },

    openTokenAccount: async (payer: Wallet, owner: Address, mint: Address = USDC_MINT): Promise<Instruction> =>
      createTokenAccount({ payer: payer.address, tokenAccount: await deriveTokenAccount(owner, mint), owner, mint }),

    async close(): Promise<void> {
      await node.close();
      rmSync(stateFolder, { recursive: true, force: true });
    },
  };
}
