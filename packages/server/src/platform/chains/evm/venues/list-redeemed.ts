/** Redemptions that the router made for the treasury since the cursor, read from its events. */
import type { Hex } from 'viem';
import { decodeEventLog } from 'viem/utils';
import { smaller } from '../../../larger-and-smaller.ts';
import type { RedeemedPage, SeenRedeem, VenueAddress } from '../../yield-venues.ts';
import { readHeadNumber, readLogs, requireBlock } from '../ask-node.ts';
import type { EvmContext } from '../evm-context.ts';
import { addressTopic } from '../usdc.ts';
import { routerAbi } from './venue-abi.ts';
import { addressesOf } from './venue-addresses.ts';
import { ROUTER_TOPICS } from './venue-results.ts';

const BLOCKS_PER_QUESTION = 10_000n;

/** The cursor is the last final block. */
export async function listRedeemed(
  context: EvmContext,
  at: VenueAddress,
  cursor: string | null,
  findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<RedeemedPage> {
  const { number: final } = await requireBlock(context, context.finalTag);
  if (cursor === null) return { redeemed: [], cursor: String(final) };
  const head = await readHeadNumber(context);
  const { venue, router } = addressesOf(context, at);
  const topics = [ROUTER_TOPICS.redeem, addressTopic(context.treasury), null, addressTopic(venue)];
  const redeemed: SeenRedeem[] = [];
  for (let from = BigInt(cursor) + 1n; from <= head; from += BLOCKS_PER_QUESTION) {
    const logs = await readLogs(context, router, topics, from, smaller(from + BLOCKS_PER_QUESTION - 1n, head));
    const known = await findKnown([...new Set(logs.map(({ transactionHash }) => transactionHash))]);
    for (const { transactionHash: reference, topics: own, data } of logs) {
      if (known.has(reference)) continue;
      const { args } = decodeEventLog({ abi: routerAbi, eventName: 'Redeemed', topics: own as [Hex, ...Hex[]], data });
      if (args.units > 0n) redeemed.push({ reference, intentKey: own[2] as Hex, assets: args.assets, units: args.units });
    }
  }
  return { redeemed, cursor: BigInt(cursor) > final ? cursor : String(final) };
}
