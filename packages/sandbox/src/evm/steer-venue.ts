// Changes a sandbox venue (free USDC, value, pause) by ordinary transactions of the faucet, which owns the venues.

import { LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS, USDC_ADDRESS } from './contracts/addresses.ts';
import type { Faucet } from './faucet.ts';
import { fromBytes, type Hex } from './hex.ts';
import { loadEdr } from './load-edr.ts';

export const venueActions = ['borrow', 'repay', 'accrue_fees', 'traders_win', 'traders_lose', 'pause', 'resume', 'donate'] as const;
export type VenueAction = (typeof venueActions)[number];

export interface VenueChange {
  readonly venue: string;
  readonly action: VenueAction;
  /** The amount, for actions that move USDC. */
  readonly micros: bigint;
}

interface Step {
  readonly call: string;
  /** True: the faucet pays USDC into the venue. */
  readonly pays?: boolean;
}

/** The contract call of each action, by venue. */
const steps: Readonly<Record<string, Partial<Readonly<Record<VenueAction, Step>>>>> = {
  [LEND_VAULT_ADDRESS]: { borrow: { call: 'borrow(uint256)' }, repay: { call: 'repay(uint256)', pays: true } },
  [LIQUIDITY_POOL_ADDRESS]: {
    borrow: { call: 'openPositions(uint256)' },
    repay: { call: 'closePositions(uint256)' },
    accrue_fees: { call: 'accrueFees(uint256)', pays: true },
    traders_win: { call: 'tradersWin(uint256)' },
    traders_lose: { call: 'tradersLose(uint256)', pays: true },
  },
};
const switches: Partial<Readonly<Record<VenueAction, string>>> = { pause: 'pause()', resume: 'unpause()' };

/** Resolves with the hash of the transaction that changed the venue. */
export async function steerVenue(faucet: Faucet, { venue, action, micros }: VenueChange): Promise<Hex> {
  const [address, own] = Object.entries(steps).find(([known]) => known.toLowerCase() === venue.toLowerCase()) ?? [];
  if (address === undefined || own === undefined) throw new Error(`${venue} is no vault of the sandbox.`);
  const target = address as Hex;
  const flip = switches[action];
  if (flip !== undefined) return await faucet.call(target, selectorOf(flip));
  if (micros <= 0n) throw new Error(`Give an amount: ${action} moves USDC.`);
  if (action === 'donate') return await faucet.fundUsdc(target, micros);
  const step = own[action];
  if (step === undefined) throw new Error(`This vault has no ${action}: only a liquidity pool has traders.`);
  if (step.pays) {
    await faucet.fundUsdc(faucet.address, micros);
    await faucet.call(USDC_ADDRESS, encode('approve(address,uint256)', BigInt(target), micros));
  }
  return await faucet.call(target, encode(step.call, micros));
}

function encode(signature: string, ...words: readonly bigint[]): Hex {
  return `${selectorOf(signature)}${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
}

function selectorOf(signature: string): Hex {
  return fromBytes(loadEdr().keccak256(Buffer.from(signature)).subarray(0, 4));
}
