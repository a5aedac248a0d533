// An ordinary Solana client for tests: the kit library, unmodified, over HTTP and WebSocket.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  type AddressesByLookupTableAddress,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { findAssociatedTokenPda, getCreateAssociatedTokenIdempotentInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { type SolanaNode, type SolanaNodeOptions, startSolanaNode } from './node.ts';

export const USDC = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

export function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'solana-node-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A node whose transactions are confirmed after 40 ms and final after 200 ms. */
export async function startNode(t: TestContext, options: Partial<SolanaNodeOptions> = {}): Promise<SolanaNode> {
  const confirmations = { confirmed: 1, finalized: 5 };
  const node = await startSolanaNode({ port: 0, stateFolder: createFolder(t), slotMilliseconds: 40, confirmations, ...options });
  t.after(() => node.close());
  return node;
}

export type Client = ReturnType<typeof createClient>;

export function createClient(node: Pick<SolanaNode, 'url' | 'wsUrl'>) {
  const rpc = createSolanaRpc(node.url);
  const rpcSubscriptions = createSolanaRpcSubscriptions(node.wsUrl);

  async function sign(payer: KeyPairSigner, instructions: readonly Instruction[], tables?: AddressesByLookupTableAddress) {
    const { value: lifetime } = await rpc.getLatestBlockhash().send();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime as { blockhash: Blockhash; lastValidBlockHeight: bigint }, draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
      (draft) => (tables ? compressTransactionMessageUsingAddressLookupTables(draft, tables) : draft),
    );
    return signTransactionMessageWithSigners(message);
  }

  type Signed = Awaited<ReturnType<typeof sign>>;

  async function submit(transaction: Signed, skipPreflight = false): Promise<Signature> {
    return rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64', skipPreflight }).send();
  }

  async function findStatus(wanted: Signature) {
    return (await rpc.getSignatureStatuses([wanted], { searchTransactionHistory: true }).send()).value[0] ?? null;
  }

  async function waitUntil(wanted: Signature, level: 'confirmed' | 'finalized' = 'confirmed'): Promise<Signature> {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const reached = (await findStatus(wanted))?.confirmationStatus;
      if (reached === 'finalized' || reached === level) return wanted;
      await sleep(10);
    }
    throw new Error(`${wanted} did not become ${level}.`);
  }

  return {
    rpc,
    rpcSubscriptions,
    sign,
    submit,
    findStatus,
    waitUntil,

    async send(payer: KeyPairSigner, instructions: readonly Instruction[], skipPreflight = false): Promise<Signature> {
      return waitUntil(await submit(await sign(payer, instructions), skipPreflight));
    },

    async getTransaction(wanted: Signature) {
      const found = await rpc
        .getTransaction(wanted, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 })
        .send();
      if (found?.meta == null) throw new Error(`${wanted} is not there.`);
      const { meta, transaction } = found;
      const addresses = [
        ...transaction.message.accountKeys,
        ...(meta.loadedAddresses?.writable ?? []),
        ...(meta.loadedAddresses?.readonly ?? []),
      ];
      const amounts = (balances: typeof meta.preTokenBalances) =>
        Object.fromEntries(
          (balances ?? []).map((balance) => [addresses[balance.accountIndex] as string, BigInt(balance.uiTokenAmount.amount)]),
        );
      return {
        ...found,
        meta,
        addresses,
        before: amounts(meta.preTokenBalances),
        after: amounts(meta.postTokenBalances),
        fee: Number(meta.fee),
      };
    },

    async getUsdc(owner: Address): Promise<bigint> {
      const { value } = await rpc.getTokenAccountBalance(await usdcAccount(owner)).send();
      return BigInt(value.amount);
    },
  };
}

export async function usdcAccount(owner: Address): Promise<Address> {
  return (await findAssociatedTokenPda({ owner, tokenProgram: TOKEN_PROGRAM_ADDRESS, mint: USDC }))[0];
}

export async function createUsdcAccount(payer: KeyPairSigner, owner: Address): Promise<Instruction> {
  return getCreateAssociatedTokenIdempotentInstruction({ payer, ata: await usdcAccount(owner), owner, mint: USDC });
}

/** A new wallet with 10 SOL and 1000 USDC. */
export async function createWallet(node: SolanaNode, client: Client): Promise<KeyPairSigner> {
  const wallet = await generateKeyPairSigner();
  await node.fundNative(wallet.address, 10_000_000_000n);
  await client.waitUntil(signature(await node.fundUsdc(wallet.address, 1_000_000_000n)));
  return wallet;
}
