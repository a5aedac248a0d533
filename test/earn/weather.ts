/** Outside events of a venue: it earns, loses, runs dry, stops, and is given money. Only for chains that the test owns. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EARN_ROUTER_ADDRESS, LIQUIDITY_POOL_ADDRESS } from '@market/sandbox/evm';
import { type Hex, maxUint256, parseAbi, parseEventLogs } from 'viem';
import { createPayer, type EvmPayer } from '../harness/payers.ts';
import type { SharedMoney } from '../money/shared-money.ts';

const NETWORK = 'base-mainnet';
const USDC = 1_000_000n;
const abi = parseAbi([
  'function approve(address, uint256) returns (bool)',
  'function deposit(uint256, address) returns (uint256)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
]);

export interface Weather {
  readonly vault: string;
  readonly venue: string;
  readonly router: string;
  /** Units that strangers gave to the treasury. */
  readonly given: { units: bigint };
  pause(): Promise<void>;
  unpause(): Promise<void>;
  /** Lends all cash out, except this much. */
  dry(keptMicros: bigint): Promise<void>;
  /** Brings some lent cash back. */
  drizzle(micros: bigint): Promise<void>;
  /** Brings all lent cash back. */
  rain(): Promise<void>;
  gain(micros: bigint): Promise<void>;
  lose(micros: bigint): Promise<void>;
  /** A stranger buys units for the treasury. */
  giveUnits(micros: bigint): Promise<void>;
  /** Changes the venue repeatedly until it is over. */
  change(random: () => number, isOver: () => boolean, onTurn: () => Promise<void>): Promise<void>;
}

type Steered = Pick<SharedMoney, 'chains' | 'localChains'>;

/** Controls the liquidity pool, whose value can fall. */
export function weatherOf({ chains, localChains }: Steered): Weather {
  const venue = LIQUIDITY_POOL_ADDRESS;
  const given = { units: 0n };
  let reserved = 0n;
  let stranger: EvmPayer | undefined;
  type Action = Parameters<SharedMoney['localChains']['steerVenue']>[0]['action'];
  const steer = async (action: Action, micros = 0n) => {
    await localChains.steerVenue({ network: NETWORK, venue, action, micros });
  };
  async function readFree(): Promise<bigint> {
    const reading = await chains.get(NETWORK)?.venues?.read({ venue, router: EARN_ROUTER_ADDRESS, adapter: 'liquidity_pool' });
    assert.ok(reading);
    return reading.freeAssets;
  }
  const weather: Weather = {
    vault: 'usdc-traders',
    venue,
    router: EARN_ROUTER_ADDRESS,
    given,
    pause: () => steer('pause'),
    unpause: () => steer('resume'),
    async dry(keptMicros) {
      // A redemption may take cash meanwhile.
      for (let tries = 0; tries < 5; tries++) {
        const lent = (await readFree()) - keptMicros;
        if (lent <= 0n) return;
        const isLent = await steer('borrow', lent).then(
          () => true,
          () => false,
        );
        if (!isLent) continue;
        reserved += lent;
        return;
      }
    },
    async drizzle(micros) {
      if (reserved < micros) return;
      await steer('repay', micros);
      reserved -= micros;
    },
    async rain() {
      if (reserved === 0n) return;
      await steer('repay', reserved);
      reserved = 0n;
    },
    gain: (micros) => steer('traders_lose', micros),
    lose: (micros) => steer('traders_win', micros),
    async giveUnits(micros) {
      stranger ??= (await createPayer({ chains, localChains }, NETWORK)) as EvmPayer;
      const { wallet, reader, chain } = stranger;
      const usdc = chain.usdcAddress as Hex;
      const allowed = await wallet.writeContract({ address: usdc, abi, functionName: 'approve', args: [venue, maxUint256] });
      await reader.waitForTransactionReceipt({ hash: allowed });
      const hash = await wallet.writeContract({ address: venue, abi, functionName: 'deposit', args: [micros, chain.treasury as Hex] });
      const { logs } = await reader.waitForTransactionReceipt({ hash });
      for (const { args } of parseEventLogs({ abi, eventName: 'Deposit', logs })) given.units += args.shares;
    },
    async change(random, isOver, onTurn) {
      const some = (most: number) => BigInt(1 + Math.floor(random() * most));
      // Droughts last most of the time and end slowly: cash that comes back pays parts.
      const changes: readonly (() => Promise<void>)[] = [
        () => weather.dry(some(40) * USDC),
        () => weather.gain(some(3_000) * USDC + some(999_999)),
        () => weather.drizzle(some(60) * USDC),
        () => weather.giveUnits(some(50) * USDC),
        () => weather.lose(some(3_000) * USDC + some(999_999)),
        () => weather.drizzle(some(60) * USDC),
        () => weather.rain(),
        () => weather.dry(some(40) * USDC),
        () => steer('accrue_fees', some(500) * USDC),
        () => weather.drizzle(some(200) * USDC),
        async () => {
          await weather.pause();
          await sleep(300);
          await weather.unpause();
        },
        () => steer('donate', some(500) * USDC),
        () => weather.drizzle(some(200) * USDC),
        () => weather.rain(),
      ];
      for (let turn = 0; !isOver(); turn++) {
        await changes[turn % changes.length]?.();
        await onTurn();
        await sleep(100 + random() * 400);
      }
      await weather.rain();
    },
  };
  return weather;
}
