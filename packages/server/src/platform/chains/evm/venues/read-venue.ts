/** Reads all figures of a venue at one block, by one call. */

import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { larger, smaller } from '../../../larger-and-smaller.ts';
import { ChainUnavailable, TransferRefused } from '../../chain.ts';
import type { VenueAddress, VenueReading } from '../../yield-venues.ts';
import type { EvmContext } from '../evm-context.ts';
import { askTogether, readNumber } from './multicall.ts';
import { aavePoolAbi, venueAbi } from './venue-abi.ts';
import { addressesOf, type VenueAddresses } from './venue-addresses.ts';

/** Decimals of `pricePerUnit` beyond those of USDC. */
const PRICE_DIGITS = 12n;
const MOST_DECIMALS = 30n;
/** More than anybody has. Venues without a limit state the largest number there is; other figures must not exceed this. */
const MOST = 2n ** 127n;
/** One hundredth of a percent: an hour's interest at 80% a year. */
const RESERVE_DIVISOR = 10_000n;
/** A stated rate above this counts as unknown. */
const HIGHEST_APR_PCT = 1_000;

export async function readVenue(context: EvmContext, at: VenueAddress): Promise<VenueReading> {
  const addresses = addressesOf(context, at);
  const unitDecimals = await readDecimals(context, addresses);
  const { blockNumber, bytes } = await askTogether(context, {
    ...questionsTo(context, addresses, unitDecimals),
    ...moreQuestions(context, addresses),
  });
  const need = (name: keyof typeof bytes, kind?: 'limit'): bigint => requireNumber(context, addresses, name, bytes[name], kind);
  const aave = addresses.pool === undefined ? undefined : readReserve(context, addresses.pool, bytes.reserve);
  const isPaused = readNumber(bytes.paused) === 1n || aave?.isPaused === true;
  const totalAssets = need('totalAssets');
  const withdrawable = smaller(need('maxWithdraw', 'limit'), totalAssets);
  const cash = readNumber(addresses.pool === undefined ? bytes.cash : bytes.poolCash) ?? larger(need('idle'), withdrawable);
  return {
    unitDecimals: Number(unitDecimals),
    totalAssets,
    totalUnits: need('totalSupply'),
    pricePerUnit: need('price'),
    freeAssets: isPaused ? 0n : smaller(cash, totalAssets),
    heldUnits: need('held'),
    redeemableUnits: isPaused ? 0n : withReserve(need('maxRedeem', 'limit'), need('held')),
    depositableAssets: isPaused || aave?.isClosed === true ? 0n : smaller(need('maxDeposit', 'limit'), MOST),
    paused: isPaused,
    supplyAprPct: aave === undefined ? plausible(percentOf(readNumber(bytes.supplyRate), 18)) : aave.supplyAprPct,
    feeAprPct: addresses.adapter === 'liquidity_pool' ? feeAprOf(readNumber(bytes.fees), readNumber(bytes.share), totalAssets) : null,
    blockNumber,
  };
}

/** Throws `TransferRefused` when the venue does not accept this amount. */
export async function previewDeposit(context: EvmContext, at: VenueAddress, assets: bigint): Promise<bigint> {
  const { venue: target } = addressesOf(context, at);
  const { bytes } = await askTogether(context, {
    most: { target, callData: encodeFunctionData({ abi: venueAbi, functionName: 'maxDeposit', args: [context.treasury] }) },
    units: { target, callData: encodeFunctionData({ abi: venueAbi, functionName: 'previewDeposit', args: [assets] }) },
  });
  const [most, units] = [readNumber(bytes.most), readNumber(bytes.units)];
  if (most !== undefined && most < assets)
    throw new TransferRefused('venue', `The venue ${target} takes ${most === 0n ? 'no deposits' : `at most ${most} micro-USDC`} now.`);
  if (units === undefined || units === 0n)
    throw new TransferRefused('venue', `The venue ${target} gives nothing for ${assets} micro-USDC.`);
  return units;
}

/** Throws `TransferRefused` when the venue does not state what it pays. */
export async function previewRedeem(context: EvmContext, at: VenueAddress, units: bigint): Promise<bigint> {
  const { venue: target } = addressesOf(context, at);
  const callData = encodeFunctionData({ abi: venueAbi, functionName: 'previewRedeem', args: [units] });
  const { bytes } = await askTogether(context, { assets: { target, callData } });
  const assets = readNumber(bytes.assets);
  if (assets === undefined) throw new TransferRefused('venue', `The venue ${target} does not say what it pays for ${units} units.`);
  if (assets > MOST) throw new ChainUnavailable(context.network, `the venue ${target} promises ${assets}`);
  return assets;
}

export async function readValue(context: EvmContext, at: VenueAddress, units: bigint): Promise<bigint> {
  const { venue } = addressesOf(context, at);
  const value = await readOne(context, venue, encodeFunctionData({ abi: venueAbi, functionName: 'convertToAssets', args: [units] }));
  if (value > MOST) throw new ChainUnavailable(context.network, `the venue ${venue} states a value of ${value}`);
  return value;
}

export async function readAllowance(context: EvmContext, at: VenueAddress): Promise<bigint> {
  const { venue, router } = addressesOf(context, at);
  return await readOne(context, venue, encodeFunctionData({ abi: venueAbi, functionName: 'allowance', args: [context.treasury, router] }));
}

async function readOne(context: EvmContext, target: Hex, callData: Hex): Promise<bigint> {
  const { bytes } = await askTogether(context, { answer: { target, callData } });
  const value = readNumber(bytes.answer);
  if (value === undefined) throw new ChainUnavailable(context.network, `the venue ${target} does not answer as ERC-4626 does`);
  return value;
}

async function readDecimals(context: EvmContext, { venue }: VenueAddresses): Promise<bigint> {
  const decimals = await readOne(context, venue, encodeFunctionData({ abi: venueAbi, functionName: 'decimals' }));
  if (decimals > MOST_DECIMALS) throw new ChainUnavailable(context.network, `the units of ${venue} have ${decimals} decimals`);
  return decimals;
}

function questionsTo({ treasury, usdc }: EvmContext, { venue: target }: VenueAddresses, unitDecimals: bigint) {
  const ask = (functionName: 'totalAssets' | 'totalSupply') => ({ target, callData: encodeFunctionData({ abi: venueAbi, functionName }) });
  const askOf = (functionName: 'balanceOf' | 'maxDeposit' | 'maxWithdraw' | 'maxRedeem') => ({
    target,
    callData: encodeFunctionData({ abi: venueAbi, functionName, args: [treasury] }),
  });
  // A large amount gives a price with many digits, which the venue rounds only once.
  const priced = 10n ** (unitDecimals + PRICE_DIGITS);
  return {
    totalAssets: ask('totalAssets'),
    totalSupply: ask('totalSupply'),
    price: { target, callData: encodeFunctionData({ abi: venueAbi, functionName: 'convertToAssets', args: [priced] }) },
    held: askOf('balanceOf'),
    maxDeposit: askOf('maxDeposit'),
    maxWithdraw: askOf('maxWithdraw'),
    maxRedeem: askOf('maxRedeem'),
    idle: { target: usdc, callData: encodeFunctionData({ abi: venueAbi, functionName: 'balanceOf', args: [target] }) },
  };
}

/** Reads that only some venues answer. */
function moreQuestions({ usdc }: EvmContext, { venue: target, pool = target }: VenueAddresses) {
  const ask = (functionName: 'paused' | 'cash' | 'supplyRate' | 'feesOfLastDay' | 'providerShareBps') => ({
    target,
    callData: encodeFunctionData({ abi: venueAbi, functionName }),
  });
  const askPool = (functionName: 'getReserveData' | 'getVirtualUnderlyingBalance') => ({
    target: pool,
    callData: encodeFunctionData({ abi: aavePoolAbi, functionName, args: [usdc] }),
  });
  return {
    paused: ask('paused'),
    cash: ask('cash'),
    supplyRate: ask('supplyRate'),
    fees: ask('feesOfLastDay'),
    share: ask('providerShareBps'),
    reserve: askPool('getReserveData'),
    poolCash: askPool('getVirtualUnderlyingBalance'),
  };
}

function requireNumber(
  { network }: EvmContext,
  { venue }: VenueAddresses,
  name: string,
  answer: Hex | undefined,
  kind: 'amount' | 'limit' = 'amount',
): bigint {
  const value = readNumber(answer);
  if (value === undefined || (kind === 'amount' && value > MOST))
    throw new ChainUnavailable(network, `the venue ${venue} does not answer ${name} as ERC-4626 does`);
  return value;
}

/** Bits of a reserve's configuration (Aave's ReserveConfiguration). */
const ACTIVE = 1n << 56n;
const FROZEN = 1n << 57n;
const PAUSED = 1n << 60n;

export interface AaveReserve {
  readonly supplyAprPct: number | null;
  readonly isPaused: boolean;
  /** The market takes no deposits. */
  readonly isClosed: boolean;
  readonly aToken: Hex;
}

export function readReserve({ network }: EvmContext, pool: Hex, answer: Hex | undefined): AaveReserve {
  try {
    const reserve = decodeFunctionResult({ abi: aavePoolAbi, functionName: 'getReserveData', data: answer ?? '0x' });
    const isOn = (bit: bigint) => (reserve.configuration & bit) !== 0n;
    return {
      supplyAprPct: plausible(percentOf(reserve.currentLiquidityRate, 27)),
      isPaused: isOn(PAUSED) || !isOn(ACTIVE),
      isClosed: isOn(FROZEN),
      aToken: reserve.aTokenAddress,
    };
  } catch (error) {
    throw new ChainUnavailable(network, `${pool} does not answer as Aave’s Pool does`, error);
  }
}

/** Converts a fraction of one, with this many decimals, into percent. */
function percentOf(rate: bigint | undefined, decimals: number): number | null {
  return rate === undefined ? null : Number((rate * 1_000_000n) / 10n ** BigInt(decimals)) / 10_000;
}

function plausible(pct: number | null): number | null {
  return pct !== null && pct <= HIGHEST_APR_PCT ? pct : null;
}

/** The yearly rate of all deposits, if every day had this day's fees and providers got their share of them. */
function feeAprOf(fees: bigint | undefined, shareBps: bigint | undefined, totalAssets: bigint): number | null {
  if (fees === undefined || shareBps === undefined || totalAssets === 0n) return null;
  const perDay = (fees * shareBps * 10n ** 14n) / totalAssets;
  return plausible(percentOf(perDay * 365n, 18));
}

/** Interest makes units dearer until a call lands, so a call for all the cash could then fail. Keeps a reserve where cash is the limit. */
function withReserve(most: bigint, held: bigint): bigint {
  return most >= held ? held : most - most / RESERVE_DIVISOR;
}
