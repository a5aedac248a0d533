// An EVM node for one test, with an unmodified viem as its client.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { USDC_ADDRESS } from './contracts/addresses.ts';
import { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
import { type EvmNode, type EvmNodeOptions, startEvmNode } from './node.ts';

export const ETHER = 10n ** 18n;
export const usdc = { address: USDC_ADDRESS, abi: sandboxUsdc.abi } as const;

/** The common part of a test context and a suite. */
export interface Cleanup {
  after(end: () => unknown): void;
}

export async function createTestFolder(t: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evm-node-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export async function startTestNode(t: Cleanup, options: Partial<EvmNodeOptions> = {}): Promise<EvmNode> {
  const stateFolder = options.stateFolder ?? (await createTestFolder(t));
  const node = await startEvmNode({ port: 0, chainId: base.id, stateFolder, blockMilliseconds: 10, ...options });
  t.after(() => node.close());
  return node;
}

export function connect({ url }: { readonly url: string }) {
  return createPublicClient({ chain: base, transport: http(url, { retryCount: 0 }), pollingInterval: 10, cacheTime: 0 });
}

/** Creates a payer with a key, coins and a viem wallet. */
export async function createPayer(node: EvmNode, { micros = 0n, wei = ETHER }: { micros?: bigint; wei?: bigint } = {}) {
  const account = privateKeyToAccount(generatePrivateKey());
  await Promise.all([
    wei > 0n ? node.fundNative(account.address, wei) : undefined,
    micros > 0n ? node.fundUsdc(account.address, micros) : undefined,
  ]);
  return createWalletClient({ account, chain: base, transport: http(node.url, { retryCount: 0 }) });
}

export function randomAddress(): Hex {
  return privateKeyToAccount(generatePrivateKey()).address;
}

/** Posts one JSON-RPC call and returns the raw answer. */
export async function post(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  const answer = await response.text();
  return answer === '' ? undefined : JSON.parse(answer);
}
