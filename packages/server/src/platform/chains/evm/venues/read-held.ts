/** Reads what the treasury holds of a venue and which intents the router carried out, all at one block, so that both match. */
import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { ChainUnavailable } from '../../chain.ts';
import type { HeldUnits, RoutedIntent, VenueAddress, VenueResult } from '../../yield-venues.ts';
import type { EvmContext } from '../evm-context.ts';
import { askTogether, type Question, readNumber } from './multicall.ts';
import { routerAbi, venueAbi } from './venue-abi.ts';
import { addressesOf } from './venue-addresses.ts';
import { intentOf } from './venue-calldata.ts';

const HELD = 'held';

export async function readHeld(context: EvmContext, at: VenueAddress, calls: readonly RoutedIntent[]): Promise<HeldUnits> {
  const { network, treasury } = context;
  const { venue } = addressesOf(context, at);
  const questions: Record<string, Question> = {
    [HELD]: { target: venue, callData: encodeFunctionData({ abi: venueAbi, functionName: 'balanceOf', args: [treasury] }) },
  };
  for (const call of calls) {
    const { router } = addressesOf(context, { ...at, router: call.router });
    questions[call.intentId] = {
      target: router,
      callData: encodeFunctionData({ abi: routerAbi, functionName: 'results', args: [treasury, intentOf(call)] }),
    };
  }
  const { bytes } = await askTogether(context, questions);
  const heldUnits = readNumber(bytes[HELD]);
  if (heldUnits === undefined) throw new ChainUnavailable(network, `the venue ${venue} does not say what the treasury holds`);
  const moved = new Map<string, VenueResult>();
  for (const { intentId, router } of calls) {
    const result = readMoved(context, router, bytes[intentId]);
    if (result.units > 0n) moved.set(intentId, result);
  }
  return { heldUnits, moved };
}

function readMoved({ network }: EvmContext, router: string, data: Hex | undefined): VenueResult {
  try {
    const [assets, units] = decodeFunctionResult({ abi: routerAbi, functionName: 'results', data: data ?? '0x' });
    return { assets, units };
  } catch (error) {
    throw new ChainUnavailable(network, `there is no Earn router at ${router}`, error);
  }
}
