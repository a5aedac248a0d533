// Sends coins by ordinary transactions. Each chain has a random faucet key: a well-known key could be used on the real Base too, where the
// same signatures are valid.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfPresent, writeDurably } from '../state-file.ts';
import type { Chain } from './chain.ts';
import { USDC_ADDRESS } from './contracts/addresses.ts';
import { fromBytes, type Hex, toBytes, toQuantity } from './hex.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { addressOf, signTransaction } from './transaction.ts';

export interface FaucetKey {
  readonly address: Hex;
  readonly secret: Uint8Array;
}

export interface Faucet {
  /** Resolves with the hash when the coins have arrived. */
  fundUsdc(address: string, micros: bigint): Promise<Hex>;
  fundNative(address: string, wei: bigint): Promise<Hex>;
  /** Sends both coins to a wallet that never had any; otherwise sends nothing. */
  fundNewWallet(address: string, micros: bigint, wei: bigint): Promise<void>;
  readonly address: Hex;
  /** Calls a contract; resolves with the hash when the call has succeeded. */
  call(to: Hex, data: Hex): Promise<Hex>;
}

export interface FaucetOptions {
  readonly key: FaucetKey;
  readonly chain: Chain;
  readonly chainId: number;
  readonly accept: (raw: Hex) => Promise<Hex>;
}

/** Selectors of `mint(address,uint256)` and `balanceOf(address)` of the token. */
const MINT = '0x40c10f19';
const BALANCE_OF = '0x70a08231';
const MAX_UINT256 = 2n ** 256n - 1n;
const GAS = 300_000;
const FEE_PER_GAS = 10n ** 9n;
const INCLUSION_SECONDS = 30;
const LOOK_MS = 20;

export async function openFaucetKey(file: string): Promise<FaucetKey> {
  const text = await readIfPresent(file);
  if (text !== undefined && !/^0x[0-9a-f]{64}\n?$/.test(text)) {
    throw new Error(`${file} holds no key. Restore it, or remove the folder to begin a new chain.`);
  }
  // Random 32 bytes are a valid key, except with a chance of one in 2^128.
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
      throw new Error(`The faucet's transaction ${hash} failed. The receiver may be blacklisted, or the contract refuses it.`);
    return hash;
  };

  const fundUsdc = async (address: string, micros: bigint): Promise<Hex> => {
    const receiver = requireAddress(address);
    const amount = requireAmount(micros);
    return send(USDC_ADDRESS, 0n, `${MINT}${toWord(receiver)}${toWord(toQuantity(amount))}`);
  };
  const fundNative = async (address: string, wei: bigint): Promise<Hex> => send(requireAddress(address), requireAmount(wei), '0x');

  const readNumber = async (method: string, subject: unknown, block = 'latest') => BigInt(await chain.read<Hex>(method, [subject, block]));
  const countSent = (block: 'latest' | 'pending') => readNumber('eth_getTransactionCount', key.address, block);

  /** Waits for transfers that were accepted before a crash: until their block at the next start, no balance shows them. */
  const untilEarlierTransfersAreIncluded = async () => {
    const deadline = performance.now() + INCLUSION_SECONDS * 1000;
    for (const accepted = await countSent('pending'); (await countSent('latest')) < accepted; await sleep(LOOK_MS)) {
      if (performance.now() > deadline) throw new Error('Earlier transfers of the faucet are in no block yet. Try again later.');
    }
  };

  return {
    address: key.address,
    call: (to, data) => send(to, 0n, data),
    fundUsdc,
    fundNative,
    async fundNewWallet(address, micros, wei) {
      const receiver = requireAddress(address);
      await untilEarlierTransfersAreIncluded();
      // USDC can be spent without a trace on the account (by a signed authorisation), ether cannot. Without ether and without a transaction
      // of its own, the wallet never had ether. Ether is sent last, so a wallet that had ether had USDC, too.
      if ((await readNumber('eth_getBalance', receiver)) > 0n || (await readNumber('eth_getTransactionCount', receiver)) > 0n) return;
      const usdc = await readNumber('eth_call', { to: USDC_ADDRESS, data: `${BALANCE_OF}${toWord(receiver)}` });
      await Promise.all([...(usdc === 0n ? [fundUsdc(receiver, micros)] : []), fundNative(receiver, wei)]);
    },
  };
}

function toWord(hex: Hex): string {
  return hex.slice(2).padStart(64, '0');
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
