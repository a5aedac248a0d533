/** Results of the router, by two sources that must agree: its storage for the intent, and its event in a transaction. */
import type { Hex } from 'viem';
import { decodeEventLog, decodeFunctionResult, encodeFunctionData, toEventSelector } from 'viem/utils';
import { ChainUnavailable } from '../../chain.ts';
import type { VenueCall, VenueResult } from '../../yield-venues.ts';
import { type BlockRef, callContract } from '../ask-node.ts';
import { canonicalAddress, canonicalReference, type EvmContext } from '../evm-context.ts';
import { ExecutionReverted } from '../execution-reverted.ts';
import { findInclusion, type Inclusion } from '../inclusion.ts';
import { addressTopic, isAuthorizationUsed } from '../usdc.ts';
import { routerAbi } from './venue-abi.ts';
import { addressesOf } from './venue-addresses.ts';
import { intentOf } from './venue-calldata.ts';

export const ROUTER_TOPICS = {
  deposit: toEventSelector('Deposited(address,bytes32,address,uint256,uint256)'),
  redeem: toEventSelector('Redeemed(address,bytes32,address,uint256,uint256)'),
} as const;

/** Whether some transaction has carried out the intent, as of that block. An approval leaves no trace of its intent. */
export async function isCarriedOut(context: EvmContext, call: VenueCall, at: BlockRef): Promise<boolean> {
  if (call.kind === 'allow') return false;
  if (call.kind === 'deposit') return await isAuthorizationUsed(context, intentOf(call), at);
  return (await readStored(context, call, at)).units > 0n;
}

/** Throws as long as the node does not show the transaction. */
export async function readResult(context: EvmContext, call: VenueCall, reference: string): Promise<VenueResult | undefined> {
  if (call.kind === 'allow') return { assets: 0n, units: 0n };
  const hash = canonicalReference(reference);
  const inclusion = hash && (await findInclusion(context, hash));
  if (inclusion === undefined) throw new ChainUnavailable(context.network, `the node does not show ${reference}`);
  const said = findEvent(context, call, inclusion);
  const stored = await readStored(context, call, 'latest');
  return said !== undefined && said.assets === stored.assets && said.units === stored.units ? said : undefined;
}

/** The router's event about this intent; undefined when there is none, several, or one with other figures. */
export function findEvent(context: EvmContext, call: Exclude<VenueCall, { kind: 'allow' }>, inclusion: Inclusion): VenueResult | undefined {
  const { venue, router } = addressesOf(context, call.at);
  const topics = [ROUTER_TOPICS[call.kind], addressTopic(context.treasury), intentOf(call), addressTopic(venue)];
  const logs = inclusion.logs.filter(
    (log) => canonicalAddress(log.address) === router && !log.removed && topics.every((topic, index) => log.topics[index] === topic),
  );
  const [log] = logs;
  if (!inclusion.succeeded || log === undefined || logs.length > 1) return undefined;
  const { args } = decodeEventLog({ abi: routerAbi, topics: log.topics as [Hex, ...Hex[]], data: log.data });
  const isAsCalled = call.kind === 'deposit' ? args.assets === call.assets : args.units === call.units;
  return isAsCalled ? { assets: args.assets, units: args.units } : undefined;
}

async function readStored(context: EvmContext, call: VenueCall, at: BlockRef): Promise<VenueResult> {
  const { router } = addressesOf(context, call.at);
  const data = encodeFunctionData({ abi: routerAbi, functionName: 'results', args: [context.treasury, intentOf(call)] });
  try {
    const answer = await callContract(context, { to: router, data }, at);
    const [assets, units] = decodeFunctionResult({ abi: routerAbi, functionName: 'results', data: answer });
    return { assets, units };
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    const reason = error instanceof ExecutionReverted ? error.reason : 'its answer has another shape';
    throw new ChainUnavailable(context.network, `there is no Earn router at ${router}: ${reason}`, error);
  }
}
