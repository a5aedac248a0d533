/** For tests: a sandbox chain per test file, the adapter on it, and people with real keys. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { MULTICALL3_ADDRESS, sandboxUsdc, startEvmNode, USDC_ADDRESS } from '@market/sandbox/evm';
import { createPublicClient, createWalletClient, type Hex, http, multicall3Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { encodeFunctionData, slice } from 'viem/utils';
import {
  type OutgoingTransfer,
  type Receipt,
  type SignedTransfer,
  type TransferOutcome,
  TransferRefused,
} from '../src/platform/chains/chain.ts';
import { createEvmChain, type EvmChainOptions } from '../src/platform/chains/evm/evm-chain.ts';
import { createJsonRpcClient } from '../src/platform/chains/json-rpc.ts';
import { createLocalEvmSigner } from '../src/platform/chains/treasury-signer.ts';

export const USDC = 1_000_000n;
const ETHER = 10n ** 18n;
const NEVER_BY_ITSELF_MS = 3_600_000;
const usdc = { address: USDC_ADDRESS as Hex, abi: sandboxUsdc.abi } as const;

/** Chains live until the end of the test file, wherever in it they were started. */
const endings: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of endings) await end();
});

export interface TestChainOptions {
  /** Blocks are mined only by `mine` (or after five quiet seconds, so that calls see the current time). */
  readonly byHand?: boolean;
  readonly chainId?: number;
  readonly treasury?: { readonly micros?: bigint; readonly wei?: bigint };
}

export type TestChain = Awaited<ReturnType<typeof startTestChain>>;
export type Person = Awaited<ReturnType<TestChain['createPerson']>>;

export async function startTestChain({ byHand = false, chainId = base.id, treasury: funds = {} }: TestChainOptions = {}) {
  const stateFolder = await mkdtemp(join(tmpdir(), 'evm-chain-'));
  const node = await startEvmNode({
    port: 0,
    chainId,
    stateFolder,
    blockMilliseconds: byHand ? NEVER_BY_ITSELF_MS : 10,
    finalityBlocks: { safe: 4, finalized: 6 },
  });
  endings.push(async () => {
    await node.close();
    await rm(stateFolder, { recursive: true, force: true, maxRetries: 3 });
  });

  const treasuryKey = generatePrivateKey();
  const rpc = createJsonRpcClient({ network: 'base-mainnet', urls: [node.url], tries: 1 });
  const options = {
    network: 'base-mainnet',
    chainId,
    usdcAddress: USDC_ADDRESS,
    treasury: createLocalEvmSigner(treasuryKey),
    rpc,
  } as const;
  const evmBase = { ...base, id: chainId };
  const reader = createPublicClient({ chain: evmBase, transport: http(node.url, { retryCount: 0 }), pollingInterval: 5, cacheTime: 0 });
  const connect = (key: Hex) =>
    createWalletClient({ account: privateKeyToAccount(key), chain: evmBase, transport: http(node.url, { retryCount: 0 }) });

  const mine = async (blocks = 1): Promise<void> => {
    for (let i = 0; i < blocks; i++) await node.advance(1);
  };
  /** Mines blocks while waiting for `work`. */
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    if (!byHand) return await work;
    let isOver = false;
    const watched = work.finally(() => {
      isOver = true;
    });
    watched.catch(() => undefined);
    while (!isOver) {
      await mine();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return await watched;
  };
  const fund = async (address: Hex, { micros = 0n, wei = 0n }): Promise<void> => {
    const grants = [micros > 0n && node.fundUsdc(address, micros), wei > 0n && node.fundNative(address, wei)];
    await settle(Promise.all(grants));
  };
  const included = async (hash: Hex): Promise<Hex> => {
    await settle(reader.waitForTransactionReceipt({ hash }));
    return hash;
  };
  const createPerson = async ({ micros = 0n, wei = ETHER }: { micros?: bigint; wei?: bigint } = {}) => {
    const wallet = connect(generatePrivateKey());
    await fund(wallet.account.address, { micros, wei });
    return wallet;
  };
  await fund(options.treasury.address, { micros: funds.micros ?? 0n, wei: funds.wei ?? ETHER });

  return {
    node,
    reader,
    options,
    chain: createEvmChain(options),
    /** An adapter with other options for the same chain and treasury. */
    adapt: (change: Partial<EvmChainOptions>) => createEvmChain({ ...options, ...change }),
    treasuryWallet: connect(treasuryKey),
    openFaucetWallet: async () => connect((await readFile(join(stateFolder, 'faucet.key'), 'utf8')).trim() as Hex),
    createPerson,
    fund,
    mine,
    included,
    balanceOf: (address: Hex): Promise<bigint> => reader.readContract({ ...usdc, functionName: 'balanceOf', args: [address] }),
  };
}

export const transferCall = (to: Hex, micros: bigint): Hex =>
  encodeFunctionData({ abi: usdc.abi, functionName: 'transfer', args: [to, micros] });

export const sendUsdc = (person: Person, to: Hex, micros: bigint): Promise<Hex> =>
  person.sendTransaction({ to: USDC_ADDRESS, data: transferCall(to, micros), gas: 200_000n });

export const blacklist = (blacklister: Person, account: Hex): Promise<Hex> =>
  blacklister.sendTransaction({
    to: USDC_ADDRESS,
    data: encodeFunctionData({ abi: usdc.abi, functionName: 'blacklist', args: [account] }),
    gas: 100_000n,
  });

/** An EIP-3009 transfer as calldata that anybody may send. */
export async function authorize(person: Person, to: Hex, value: bigint): Promise<Hex> {
  const message = { from: person.account.address, to, value, validAfter: 0n, validBefore: 2n ** 40n, nonce: generatePrivateKey() };
  const types = ['from:address', 'to:address', 'value:uint256', 'validAfter:uint256', 'validBefore:uint256', 'nonce:bytes32'];
  const signature = await person.account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: person.chain.id, verifyingContract: USDC_ADDRESS },
    types: { TransferWithAuthorization: types.map((field) => ({ name: field.replace(/:.*/, ''), type: field.replace(/.*:/, '') })) },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  return encodeFunctionData({
    abi: usdc.abi,
    functionName: 'transferWithAuthorization',
    args: [
      message.from,
      to,
      value,
      0n,
      message.validBefore,
      message.nonce,
      Number(slice(signature, 64)),
      slice(signature, 0, 32),
      slice(signature, 32, 64),
    ],
  });
}

/** Sends several USDC calls in one transaction. */
export function sendTogether(person: Person, calls: readonly Hex[]): Promise<Hex> {
  const args = [calls.map((callData) => ({ target: usdc.address, allowFailure: false, callData }))] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args });
  return person.sendTransaction({ to: MULTICALL3_ADDRESS, data, gas: 1_000_000n });
}

/** Deploys a contract with exactly this code. */
export async function deploy({ reader, included }: Pick<TestChain, 'reader' | 'included'>, person: Person, code: Hex): Promise<Hex> {
  const hash = await included(await person.sendTransaction({ data: code }));
  const { contractAddress } = await reader.getTransactionReceipt({ hash });
  assert.ok(contractAddress);
  return contractAddress;
}

/** An unused address. */
export const somebody = (): Hex => privateKeyToAccount(generatePrivateKey()).address;

export const refusedFor = (reason: TransferRefused['reason']) => (error: unknown) =>
  error instanceof TransferRefused && error.reason === reason;

export function transferOf(destination: Hex, amount = 5n * USDC, asset: OutgoingTransfer['asset'] = 'usdc'): OutgoingTransfer {
  return { intentId: `pay_${generatePrivateKey().slice(2, 18)}`, destination, asset, amount };
}

/** Polls until the outcome is one of `states`, as the payout job does. */
export async function untilOutcome(
  { chain }: Pick<TestChain, 'chain'>,
  transfer: OutgoingTransfer,
  signed: SignedTransfer,
  isReached: (outcome: TransferOutcome) => boolean,
): Promise<TransferOutcome> {
  for (let look = 0; look < 300; look++) {
    const outcome = await chain.readOutcome(transfer, signed);
    if (isReached(outcome)) return outcome;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the awaited outcome did not come');
}

export async function receiptOf({ chain }: Pick<TestChain, 'chain'>, reference: string): Promise<Receipt> {
  const reading = await chain.readReceipt(reference);
  assert.equal(reading.state, 'landed');
  return reading.receipt;
}
