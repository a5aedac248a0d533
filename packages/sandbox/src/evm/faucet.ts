// Gives coins away by ordinary transactions. Its key is made at random for each chain: a well-known one would be everybody's on Base too,
// where the same signatures are valid.

import { randomBytes } from 'node:crypto';
import type { Chain } from './chain.ts';
import { USDC_ADDRESS } from './contracts/addresses.ts';
import { fromBytes, type Hex, toBytes } from './hex.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { readIfPresent, writeDurably } from './state-file.ts';
import { addressOf, signTransaction } from './transaction.ts';

export interface FaucetKey {
  readonly address: Hex;
  readonly secret: Uint8Array;
}

export interface Faucet {
  /** Resolves with the hash when the coins are there. */
  fundUsdc(address: string, micros: bigint): Promise<Hex>;
  fundNative(address: string, wei: bigint): Promise<Hex>;
}

export interface FaucetOptions {
  readonly key: FaucetKey;
  readonly chain: Chain;
  readonly chainId: number;
  readonly accept: (raw: Hex) => Promise<Hex>;
}

/** `mint(address,uint256)` of the token. */
const MINT = '0x40c10f19';
const MAX_UINT256 = 2n ** 256n - 1n;
const GAS = 150_000;
const FEE_PER_GAS = 10n ** 9n;
const INCLUSION_SECONDS = 30;

export async function openFaucetKey(file: string): Promise<FaucetKey> {
  const text = await readIfPresent(file);
  if (text !== undefined && !/^0x[0-9a-f]{64}\n?$/.test(text)) {
    throw new Error(`${file} holds no key. Restore it, or remove the folder to begin a new chain.`);
  }
  // Any 32 bytes are a key but for one chance in 2^128.
  const secret = text === undefined ? new Uint8Array(randomBytes(32)) : toBytes(text.trim());
  if (text === undefined) await writeDurably(file, `${fromBytes(secret)}\n`);
  return { address: addressOf(secret), secret };
}

export function createFaucet({ key, chain, chainId, accept }: FaucetOptions): Faucet {
  const inTurn = oneAtATime();

  const send = async (to: Hex, value: bigint, data: Hex): Promise<Hex> => {
    const hash = await inTurn(async () => {
      const nonce = Number(await chain.read<Hex>('eth_getTransactionCount', [key.address, 'pending']));
      const fees = { maxPriorityFeePerGas: FEE_PER_GAS, maxFeePerGas: 2n * FEE_PER_GAS, gas: GAS };
      return accept(signTransaction({ chainId, nonce, ...fees, to, value, data }, key.secret));
    });
    await untilIncluded(chain, hash);
    const receipt = await chain.read<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt?.status !== '0x1')
      throw new Error(`The faucet's transaction ${hash} failed. The receiver may be blacklisted or refuse coins.`);
    return hash;
  };

  return {
    fundUsdc: async (address, micros) => {
      const receiver = requireAddress(address);
      const amount = requireAmount(micros);
      const words = [receiver.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'));
      return send(USDC_ADDRESS, 0n, `${MINT}${words.join('')}`);
    },
    fundNative: async (address, wei) => send(requireAddress(address), requireAmount(wei), '0x'),
  };
}

async function untilIncluded(chain: Chain, hash: Hex): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(
      () => fail(new Error(`The faucet's transaction ${hash} is in no block yet. Look it up later.`)),
      INCLUSION_SECONDS * 1000,
    );
  });
  await Promise.race([chain.untilIncluded(hash), deadline]).finally(() => clearTimeout(timer));
}

function requireAddress(address: string): Hex {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error(`${address} is not an address. Use 0x and 40 hexadecimal digits.`);
  return address.toLowerCase() as Hex;
}

function requireAmount(amount: bigint): bigint {
  if (amount <= 0n || amount > MAX_UINT256) throw new Error(`${amount} cannot be sent. Use a positive amount.`);
  return amount;
}
