/** For tests: a Solana facilitator on a fast sandbox chain, the official client, and payers who compose any transaction. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { networkFacts } from '@market/contract';
import { startSolanaNode } from '@market/sandbox/solana';
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import {
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getBase64EncodedWireTransaction, type Transaction } from '@solana/transactions';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { createJsonRpcClient, type JsonRpcClient } from '../src/platform/chains/json-rpc.ts';
import { createSolanaRpc } from '../src/platform/chains/solana/solana-rpc.ts';
import { createLocalSolanaSigner } from '../src/platform/chains/solana/solana-signer.ts';
import { deriveTokenAccount } from '../src/platform/chains/solana/token-account.ts';
import type { PaymentRequirements, StandardPayment } from '../src/platform/facilitator/facilitator.ts';
import type { PendingSettlements } from '../src/platform/facilitator/pending-settlements.ts';
import { createSolanaSettler } from '../src/platform/facilitator/solana-settler.ts';
import { facilitate, PRICE, rememberInMemory } from './facilitator-test-bench.ts';
import { createWallet, USDC_MINT, type Wallet } from './solana-test-bench.ts';

const CAIP2 = networkFacts['solana-mainnet'].local.caip2;
const SOL = 10n ** 9n;

export type Buyer = Wallet & { readonly secret: Uint8Array };
export type SolanaFacilitatorBench = Awaited<ReturnType<typeof openSolanaFacilitatorBench>>;

export async function openSolanaFacilitatorBench() {
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'market-x402-'));
  const node = await startSolanaNode({ port: 0, stateFolder, slotMilliseconds: 50, confirmations: { confirmed: 1, finalized: 4 } });
  const rpc = createJsonRpcClient({ network: 'solana-mainnet', urls: [node.url], tries: 1 });
  const questions = createSolanaRpc(rpc);
  const [treasury, sponsor] = [createWallet(), createWallet()];
  await node.fundNative(sponsor.address, SOL);
  await node.fundUsdc(treasury.address, 1n);
  const requirement: PaymentRequirements = {
    scheme: 'exact',
    network: CAIP2,
    asset: USDC_MINT,
    amount: String(PRICE),
    payTo: treasury.address,
    maxTimeoutSeconds: 120,
    extra: { feePayer: sponsor.address },
  };
  const treasuryAccount = await deriveTokenAccount(treasury.address, USDC_MINT);
  let signatures = 0;
  const counted = {
    address: sponsor.address,
    signMessage: (bytes: Uint8Array) => {
      signatures += 1;
      return sponsor.signMessage(bytes);
    },
  };

  /** A transaction signed by everybody except the fee payer. */
  async function compose(
    instructions: readonly Instruction[],
    signers: readonly Wallet[],
    options: ComposeOptions = {},
  ): Promise<StandardPayment> {
    const { feePayer = sponsor.address, table } = options;
    const empty = setTransactionMessageFeePayer(feePayer, createTransactionMessage({ version: 0 }));
    const timed = setTransactionMessageLifetimeUsingBlockhash(await questions.readLatestBlockhash(), empty);
    const full = appendTransactionMessageInstructions(instructions, timed);
    const unsigned: Transaction = compileTransaction(
      table === undefined ? full : compressTransactionMessageUsingAddressLookupTables(full, table),
    );
    const message = Uint8Array.from(unsigned.messageBytes);
    const signed = await Promise.all(signers.map(async ({ address, signMessage }) => [address, await signMessage(message)] as const));
    const transaction = { ...unsigned, signatures: { ...unsigned.signatures, ...Object.fromEntries(signed) } as Transaction['signatures'] };
    return { network: 'solana-mainnet', requirement, payload: { transaction: getBase64EncodedWireTransaction(transaction) } };
  }

  return {
    node,
    rpc,
    treasury,
    treasuryAccount,
    sponsor,
    requirement,
    compose,
    questions,
    countSignatures: () => signatures,

    async open({ pendings = rememberInMemory(), confirmationMs = 10_000, client = rpc }: Opening = {}) {
      const endpoint = { caip2: CAIP2, rpc: client, usdcMint: USDC_MINT, treasury: treasury.address };
      return await facilitate([createSolanaSettler(endpoint, { signer: counted, pendings }, { confirmationMs })]);
    },

    async createBuyer(micros = 10n * PRICE): Promise<Buyer> {
      const secret = randomBytes(32);
      const wallet = createLocalSolanaSigner(secret.toString('hex')) as Wallet;
      await node.fundUsdc(wallet.address, micros);
      await untilConfirmed(await deriveTokenAccount(wallet.address, USDC_MINT));
      return { ...wallet, secret };
    },

    pay: ({ secret }: Buyer, change: Partial<PaymentRequirements> = {}) => payOnSolana(secret, { ...requirement, ...change }, node.url),

    async balanceOf(tokenAccount: Address): Promise<bigint> {
      const [account] = await questions.readAccounts([tokenAccount]);
      return account?.data.readBigUInt64LE(64) ?? 0n;
    },

    async close(): Promise<void> {
      await node.close();
      rmSync(stateFolder, { recursive: true, force: true });
    },
  };

  async function untilConfirmed(address: Address): Promise<void> {
    for (let look = 0; look < 200; look++) {
      if ((await questions.readAccounts([address]))[0] != null) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('the faucet’s transfer did not come');
  }
}

/** A payment of the official client for these requirements. */
export async function payOnSolana(secret: Uint8Array, requirement: PaymentRequirements, rpcUrl: string): Promise<StandardPayment> {
  const client = new ExactSvmScheme(await createKeyPairSignerFromPrivateKeyBytes(secret), { rpcUrl });
  const { payload } = await client.createPaymentPayload(2, requirement);
  return { network: 'solana-mainnet', requirement, payload };
}

interface Opening {
  readonly pendings?: PendingSettlements;
  readonly confirmationMs?: number;
  readonly client?: JsonRpcClient;
}

interface ComposeOptions {
  readonly feePayer?: Address;
  readonly table?: Record<Address, Address[]>;
}
