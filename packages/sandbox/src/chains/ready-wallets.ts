// Funded wallets for newcomers. Their keys are random for each sandbox, because a signature for the local Base is also valid on the real
// one. Within the sandbox the keys are public.
import { randomBytes } from 'node:crypto';
import type { NetworkName } from '@market/sdk';
import { fromBytes, toBytes } from '../evm/hex.ts';
import { addressOf } from '../evm/transaction.ts';
import { encodeBase58, findKeyBytes } from '../solana/base58.ts';
import { createKeypair } from '../solana/keypair.ts';
import { readIfPresent, writeDurably } from '../state-file.ts';
import type { LocalNetwork } from './local-network.ts';

export interface ReadyWallet {
  readonly name: string;
  readonly chain: 'solana' | 'base';
  readonly address: string;
  /** The key in the format that wallets import: base58 of seed and public key for Solana, 0x and 64 digits for EVM. */
  readonly secretKey: string;
  readonly networks: readonly NetworkName[];
}

type Plan = Pick<ReadyWallet, 'name' | 'chain'>;

const PLANS: readonly Plan[] = [
  { name: 'Solana buyer', chain: 'solana' },
  { name: 'Solana seller', chain: 'solana' },
  { name: 'Base buyer', chain: 'base' },
  { name: 'Base seller', chain: 'base' },
];

/** Reads the keys and creates missing ones. Only the process with the lock on the chains' folder may call this. */
export async function openReadyWallets(file: string, local: readonly LocalNetwork[]): Promise<readonly ReadyWallet[]> {
  const stored = parseKeys(await readIfPresent(file), file);
  const wallets = PLANS.map((plan) => openWallet(plan, stored.get(plan.name) ?? createSecretKey(plan.chain), file, local));
  if (wallets.some(({ name }) => !stored.has(name))) {
    const keys = Object.fromEntries(wallets.map(({ name, secretKey }) => [name, secretKey]));
    await writeDurably(file, `${JSON.stringify(keys, null, 2)}\n`);
  }
  return wallets;
}

function parseKeys(text: string | undefined, file: string): ReadonlyMap<string, unknown> {
  if (text === undefined) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    throw damaged(file); // without the reason, which would quote a key
  }
}

function openWallet({ name, chain }: Plan, secretKey: unknown, file: string, local: readonly LocalNetwork[]): ReadyWallet {
  const address = typeof secretKey === 'string' ? findAddress(chain, secretKey) : undefined;
  if (typeof secretKey !== 'string' || address === undefined) throw damaged(file);
  const kind = chain === 'solana' ? 'solana' : 'evm';
  const networks = local.filter((network) => network.kind === kind).map(({ network }) => network);
  return { name, chain, address, secretKey, networks };
}

function createSecretKey(chain: ReadyWallet['chain']): string {
  const secret = randomBytes(32);
  return chain === 'base' ? fromBytes(secret) : encodeBase58(Buffer.concat([secret, createKeypair(secret).publicKey]));
}

function findAddress(chain: ReadyWallet['chain'], secretKey: string): string | undefined {
  if (chain === 'base') return /^0x[0-9a-f]{64}$/.test(secretKey) ? addressOf(toBytes(secretKey)) : undefined;
  const bytes = findKeyBytes(secretKey, 64);
  if (bytes === undefined) return undefined;
  const { address, publicKey } = createKeypair(bytes.subarray(0, 32));
  return Buffer.compare(publicKey, bytes.subarray(32)) === 0 ? address : undefined;
}

function damaged(file: string): Error {
  return new Error(`${file} does not hold the keys of the ready wallets. Restore it, or remove it to get new wallets.`);
}
