// What happens to the venues of Earn from outside: borrowers take and repay, traders win and lose, somebody pauses a venue.

import { LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS, USDC_ADDRESS } from './contracts/addresses.ts';
import type { FaucetKey } from './faucet.ts';
import { type Hex, toQuantity } from './hex.ts';

/** What can be done to each venue, with the selector of its function. */
const acts = {
  lend: { borrow: '0xc5ebeaec', repay: '0x371fd8e6', pause: '0x8456cb59', unpause: '0x3f4ba83a' },
  pool: {
    accrue_fees: '0x577d3344',
    traders_win: '0x6c733ffe',
    traders_lose: '0x6b3a957c',
    open_positions: '0xd2ec0025',
    close_positions: '0xc4dd7f79',
    pause: '0x8456cb59',
    unpause: '0x3f4ba83a',
  },
} as const satisfies Record<string, Record<string, Hex>>;

export type VenueName = keyof typeof acts;
export type VenueAct = { [V in VenueName]: keyof (typeof acts)[V] }[VenueName];

export interface VenueSteering {
  readonly venue: VenueName;
  readonly act: VenueAct;
  /** Micro-USDC; pausing takes none. */
  readonly micros?: bigint;
}

const addresses: Readonly<Record<VenueName, Hex>> = { lend: LEND_VAULT_ADDRESS, pool: LIQUIDITY_POOL_ADDRESS };
/** Acts that bring USDC into the venue. */
const bringing: readonly VenueAct[] = ['repay', 'accrue_fees', 'traders_lose'];
const APPROVE = '0x095ea7b3';

interface Hands {
  readonly key: Pick<FaucetKey, 'address'>;
  readonly fundUsdc: (address: string, micros: bigint) => Promise<Hex>;
  /** Resolves with the hash when the call is in a block; fails when it reverts. */
  readonly send: (to: Hex, value: bigint, data: Hex) => Promise<Hex>;
}

export async function steerVenue({ key, fundUsdc, send }: Hands, { venue, act, micros = 0n }: VenueSteering): Promise<Hex> {
  const selector = (acts[venue] as Readonly<Record<string, Hex | undefined>>)[act];
  if (selector === undefined) throw new Error(`${venue} does not know ${act}. Use ${Object.keys(acts[venue]).join(', ')}.`);
  const takesNone = act === 'pause' || act === 'unpause';
  if (!takesNone && micros <= 0n) throw new Error(`${act} needs an amount above 0.`);
  const to = addresses[venue];
  if (bringing.includes(act)) {
    await fundUsdc(key.address, micros);
    await send(USDC_ADDRESS, 0n, `${APPROVE}${toWord(to)}${toWord(toQuantity(micros))}`);
  }
  return await send(to, 0n, takesNone ? selector : `${selector}${toWord(toQuantity(micros))}`);
}

function toWord(hex: Hex): string {
  return hex.slice(2).toLowerCase().padStart(64, '0');
}
