/** Buyers that are programs: a wallet with USDC alone, used by a published client in its default setup. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { NetworkName } from '@market/contract';
import type { Address } from '@solana/addresses';
import { erc20Abi, type Hex } from 'viem';
import { getAbiItem } from 'viem/utils';
import { createJsonRpcClient } from '../../packages/server/src/platform/chains/json-rpc.ts';
import { createSolanaRpc } from '../../packages/server/src/platform/chains/solana/solana-rpc.ts';
import { deriveTokenAccount } from '../../packages/server/src/platform/chains/solana/token-account.ts';
import type { TestMarket } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { openPayer, type Payer } from '../harness/payers.ts';
import type { TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { type ClientName, importClient } from './install-client.ts';

/** Like `fetch`, but pays when asked to. */
export type PayingFetch = (url: string, init?: { method?: string; headers?: Record<string, string>; body?: string }) => Promise<Response>;

export interface ClientSetup {
  readonly kind: 'evm' | 'solana';
  /** The protocol version, for clients that support both. */
  readonly version: 1 | 2;
  readonly secretKey: string;
  readonly rpcUrl: string;
  readonly usdcAddress: string;
  /** The most that the client pays; without it the client's own default applies. */
  readonly mostUsd?: number | undefined;
}

export type OpenClient = (setup: ClientSetup) => Promise<PayingFetch>;

export async function loadClient(name: ClientName): Promise<OpenClient> {
  const { openClient } = (await importClient(name)) as { openClient: OpenClient };
  return openClient;
}

export interface ProgramBuyer extends TestWallet {
  readonly payer: Payer;
  readonly setup: Omit<ClientSetup, 'version'>;
  readUsdc(): Promise<bigint>;
  /** Counts the transactions that touched the buyer's USDC on chain, the funding included. */
  countTransfers(): Promise<number>;
}

export const FUNDED_MICROS = 20_000_000n;

/** The buyer has no coin for network fees: the receiver of the payment pays them. */
export async function openProgramBuyer(market: TestMarket, network: NetworkName): Promise<ProgramBuyer> {
  const { localChains } = market;
  const rpcUrl = localChains?.networks.find((description) => description.network === network)?.rpcUrl;
  assert.ok(localChains && rpcUrl, `${network} runs locally`);
  const bytes = randomBytes(32).toString('hex');
  const secretKey = network === 'solana-mainnet' ? bytes : `0x${bytes}`;
  const payer = openPayer(market, network, secretKey);
  const { chain, address } = payer;
  const readUsdc = async () => (await chain.readBalances(address)).usdcMicros;
  await localChains.fund({ network, address, usdcMicros: FUNDED_MICROS, native: 0n });
  await until('the funding', async () => ((await readUsdc()) === FUNDED_MICROS ? true : undefined));
  return {
    ...walletOf(payer),
    payer,
    setup: { kind: payer.kind, secretKey, rpcUrl, usdcAddress: chain.usdcAddress },
    readUsdc,
    countTransfers: () => countTransfers(payer, rpcUrl),
  };
}

async function countTransfers(payer: Payer, rpcUrl: string): Promise<number> {
  const { network, usdcAddress } = payer.chain;
  if (payer.kind === 'solana') {
    const rpc = createSolanaRpc(createJsonRpcClient({ network, urls: [rpcUrl] }));
    const account = await deriveTokenAccount(payer.address as Address, usdcAddress as Address);
    return (await rpc.listSignatures(account, {})).length;
  }
  const search = { address: usdcAddress as Hex, event: getAbiItem({ abi: erc20Abi, name: 'Transfer' }), fromBlock: 0n };
  const [came, went] = await Promise.all([
    payer.reader.getLogs({ ...search, args: { to: payer.address as Hex } }),
    payer.reader.getLogs({ ...search, args: { from: payer.address as Hex } }),
  ]);
  return came.length + went.length;
}
