/** Checks a configured venue and router, and describes a problem for operators. */
import { earnRouter } from '@market/sandbox/earn-router';
import type { Hex } from 'viem';
import { encodeFunctionData, keccak256 } from 'viem/utils';
import { ChainUnavailable } from '../../chain.ts';
import type { VenueAddress } from '../../yield-venues.ts';
import { canonicalAddress, type EvmContext } from '../evm-context.ts';
import { readCode } from '../read-code.ts';
import { askTogether } from './multicall.ts';
import { readReserve, readVenue } from './read-venue.ts';
import { aavePoolAbi, venueAbi } from './venue-abi.ts';
import { addressesOf, type VenueAddresses } from './venue-addresses.ts';

/** The router has neither immutables nor a constructor, so its code is the same on every network. */
const ROUTER_CODE_HASH = keccak256(earnRouter.runtimeCode);

export async function checkVenue(context: EvmContext, at: VenueAddress): Promise<string | undefined> {
  const addresses = addressesOf(context, at);
  const { venue, pool } = addresses;
  const { network, usdc } = context;
  const problem = await checkRouter(context, addresses.router);
  if (problem !== undefined) return problem;
  if ((await readCode(context, venue)) === '0x') return `There is no contract at ${venue} on ${network}.`;
  const { bytes } = await askTogether(context, {
    asset: { target: venue, callData: encodeFunctionData({ abi: venueAbi, functionName: 'asset' }) },
    aToken: { target: venue, callData: encodeFunctionData({ abi: venueAbi, functionName: 'aToken' }) },
    reserve: { target: pool ?? venue, callData: encodeFunctionData({ abi: aavePoolAbi, functionName: 'getReserveData', args: [usdc] }) },
  });
  const asset = readAddress(bytes.asset);
  if (asset === undefined) return `${venue} on ${network} is no ERC-4626 vault: it names no asset.`;
  if (asset !== usdc) return `The vault ${venue} on ${network} holds ${asset} and not USDC (${usdc}).`;
  try {
    if (pool !== undefined) return checkReserve(context, addresses, pool, readAddress(bytes.aToken), bytes.reserve);
    await readVenue(context, at);
    return undefined;
  } catch (error) {
    // The node answered just before, so blame the venue. If the node failed now, the next check says so.
    if (error instanceof ChainUnavailable) return error.message;
    throw error;
  }
}

export async function checkRouter(context: EvmContext, router: Hex): Promise<string | undefined> {
  const code = await readCode(context, router);
  if (code === '0x') return `There is no router at ${router} on ${context.network}. Deploy one with: market earn-router deploy`;
  if (keccak256(code) === ROUTER_CODE_HASH) return undefined;
  return `The contract at ${router} on ${context.network} is not the Earn router of this version. Deploy one with: market earn-router deploy`;
}

function checkReserve(
  context: EvmContext,
  { venue }: VenueAddresses,
  pool: Hex,
  aToken: Hex | undefined,
  answer: Hex | undefined,
): string | undefined {
  const reserve = readReserve(context, pool, answer);
  if (aToken === canonicalAddress(reserve.aToken)) return undefined;
  return `${venue} on ${context.network} does not wrap the USDC of Aave’s Pool ${pool}.`;
}

const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;

function readAddress(answer: Hex | undefined): Hex | undefined {
  const found = ADDRESS_WORD.exec(answer ?? '');
  return found === null ? undefined : canonicalAddress(`0x${found[1]}`);
}
