/** USDC that left the treasury since the cursor, with the nonce of the authorisation each transfer used. */
import type { Hex } from 'viem';
import { getAddress, slice } from 'viem/utils';
import { smaller } from '../../larger-and-smaller.ts';
import { isKnownOutgoing, type SeenOutgoing } from '../seen-outgoing.ts';
import { readHeadNumber, readUsdcLogs, requireBlock } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import type { LogAnswer } from './node-answers.ts';
import { AUTHORIZATION_USED_TOPIC, addressTopic, TRANSFER_TOPIC } from './usdc.ts';

const BLOCKS_PER_QUESTION = 10_000n;

export interface OutgoingPage {
  readonly transfers: readonly SeenOutgoing[];
  /** The last final block. */
  readonly cursor: string;
}

export async function listOutgoing(
  context: EvmContext,
  cursor: string | null,
  findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<OutgoingPage> {
  const { number: final } = await requireBlock(context, context.finalTag);
  if (cursor === null) return { transfers: [], cursor: String(final) };
  const head = await readHeadNumber(context);
  const transfers: SeenOutgoing[] = [];
  for (let from = BigInt(cursor) + 1n; from <= head; from += BLOCKS_PER_QUESTION) {
    const to = smaller(from + BLOCKS_PER_QUESTION - 1n, head);
    const [left, uses] = await Promise.all([
      readUsdcLogs(context, [TRANSFER_TOPIC, addressTopic(context.treasury)], from, to),
      readUsdcLogs(context, [AUTHORIZATION_USED_TOPIC, addressTopic(context.treasury)], from, to),
    ]);
    // Anybody may move 0 out of any account: `transferFrom` of 0 needs no allowance, and USDC logs it.
    const moved = left.filter(({ data }) => BigInt(data) > 0n);
    const known = await findKnown([...new Set(moved.map(({ transactionHash }) => transactionHash))]);
    transfers.push(...moved.map((log) => describe(log, uses)).filter((seen) => !isKnownOutgoing(known, seen)));
  }
  return { transfers, cursor: BigInt(cursor) > final ? cursor : String(final) };
}

/** USDC logs the use of an authorisation right before the transfer it makes. */
function describe(log: LogAnswer, uses: readonly LogAnswer[]): SeenOutgoing {
  const use = uses.findLast(({ transactionHash, logIndex }) => transactionHash === log.transactionHash && logIndex < log.logIndex);
  const receiver = getAddress(slice(log.topics[2] as Hex, 12));
  const reference = log.transactionHash;
  return { reference, position: Number(log.logIndex), intentKey: use?.topics[2] ?? null, destination: receiver, micros: BigInt(log.data) };
}
