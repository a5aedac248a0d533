// The Earn venues in the genesis block: an anchor depositor has put USDC into both, a part is lent out, and traders have paid fees.

import { EARN_ROUTER_ADDRESS, LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS } from './contracts/addresses.ts';
import { earnRouter } from './contracts/compiled/earn-router.generated.ts';
import { sandboxLendVault } from './contracts/compiled/sandbox-lend-vault.generated.ts';
import { sandboxLiquidityPool } from './contracts/compiled/sandbox-liquidity-pool.generated.ts';
import { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
import { fromBytes, type Hex, toBytes, toQuantity } from './hex.ts';
import { loadEdr } from './load-edr.ts';

type Storage = Readonly<Record<Hex, Hex>>;

interface Contract {
  readonly address: Hex;
  readonly code: Hex;
  readonly storage?: Storage;
}

const ANCHOR = '0xea0000000000000000000000000000000000000a';
const USDC = 1_000_000n;
/** Units of the anchor depositor per micro-USDC, the rate of the venues' virtual units. */
const UNITS_PER_MICRO = 1_000_000n;
const LEND_CASH = 400_000n * USDC;
const LEND_DEBT = 600_000n * USDC;
const POOL_CASH = 500_000n * USDC;
const FEES_PER_HOUR = 5n * USDC;
const HOUR_SECONDS = 3600;

/** The USDC that each venue holds from its first block on. */
export const venueCash: Readonly<Record<Hex, bigint>> = { [LEND_VAULT_ADDRESS]: LEND_CASH, [LIQUIDITY_POOL_ADDRESS]: POOL_CASH };

export function composeVenues(timeSeconds: number): { readonly accounts: readonly Contract[]; readonly usdcStorage: Storage } {
  const { slots } = sandboxUsdc;
  return {
    usdcStorage: {
      [toQuantity(slots.totalSupply)]: toQuantity(LEND_CASH + POOL_CASH),
      [entryOf(slots.balanceOf, LEND_VAULT_ADDRESS)]: toQuantity(LEND_CASH),
      [entryOf(slots.balanceOf, LIQUIDITY_POOL_ADDRESS)]: toQuantity(POOL_CASH),
    },
    accounts: [
      { address: EARN_ROUTER_ADDRESS, code: earnRouter.runtimeCode },
      { address: LEND_VAULT_ADDRESS, code: sandboxLendVault.runtimeCode, storage: composeLendVault(timeSeconds) },
      { address: LIQUIDITY_POOL_ADDRESS, code: sandboxLiquidityPool.runtimeCode, storage: composePool(timeSeconds) },
    ],
  };
}

function composeLendVault(timeSeconds: number): Storage {
  const { slots } = sandboxLendVault;
  return {
    ...composeAnchor(slots, LEND_CASH + LEND_DEBT),
    [toQuantity(slots.settledDebt)]: toQuantity(LEND_DEBT),
    [toQuantity(slots.settledCash)]: toQuantity(LEND_CASH),
    [toQuantity(slots.settledAt)]: toQuantity(timeSeconds),
  };
}

function composePool(timeSeconds: number): Storage {
  const { slots } = sandboxLiquidityPool;
  const hour = Math.floor(timeSeconds / HOUR_SECONDS);
  const lastDay = Array.from({ length: 24 }, (_, ago) => entryOf(slots.feesOf, toQuantity(hour - ago)));
  return { ...composeAnchor(slots, POOL_CASH), ...Object.fromEntries(lastDay.map((entry) => [entry, toQuantity(FEES_PER_HOUR)])) };
}

function composeAnchor(slots: { readonly _balances: number; readonly _totalSupply: number }, micros: bigint): Storage {
  const units = toQuantity(micros * UNITS_PER_MICRO);
  return { [entryOf(slots._balances, ANCHOR)]: units, [toQuantity(slots._totalSupply)]: units };
}

/** The storage slot of an entry of a mapping. */
function entryOf(slot: number, key: string): Hex {
  return fromBytes(loadEdr().keccak256(Buffer.concat([toWord(key), toWord(toQuantity(slot))])));
}

function toWord(hex: string): Uint8Array {
  return toBytes(hex.slice(2).padStart(64, '0'));
}
