/**
 * Compares an agent's wallet on one network with the movements of the books. If its owner has the key, too, unknown sends are booked and do
 * not close the outflow gate.
 */

import { formatUnits, formatUsd, type NetworkName, networkFacts } from '@market/contract';
import { z } from 'zod';
import type { Chain } from '../../platform/chains/chain.ts';
import { isKnownOutgoing, namesOfKnown, type SeenOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { larger } from '../../platform/larger-and-smaller.ts';
import { findAgent } from '../agents/index.ts';
import { type FoundOutflow, type Holder, insertFound, type Stranger } from '../outgoing/gate/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { appendOwnerEvent, decimalsOf } from './movement-events.ts';
import {
  type HeldWallet,
  hasExportedKey,
  hasUnexplained,
  listBegunMovements,
  listKnownSends,
  listSignedUnder,
  readSentCount,
} from './wallet-holder-repository.ts';

type Context = Pick<AgentWalletsContext, 'database' | 'events' | 'walletChains' | 'chains'>;

/** How far each asset was compared. For the native coin on EVM it is the number of transactions that the account sent. */
const cursors = z.object({ usdc: z.string(), native: z.string() });
type Cursors = z.infer<typeof cursors>;

/** How far back the first comparison of a wallet looks: four days of Base's two-second blocks. */
const SEARCHED_BLOCKS = 200_000n;

function nameOfWallet({ caip2 }: Pick<Chain, 'caip2'>, address: string): string {
  return `${caip2}/${address}`;
}

export function walletHolder(context: Context, wallet: HeldWallet): Holder {
  const { network, address, agentId } = wallet;
  const chain = context.walletChains.open(network, { address }, 'usdc');
  const name = nameOfWallet(chain, address);
  const { label } = networkFacts[network];
  return {
    name,
    label: `the wallet ${address} of the agent ${agentId} on ${label}`,
    chain,
    async compare(text) {
      const { db } = context.database;
      const from = text === null ? await firstCursors(chain) : cursors.parse(JSON.parse(text));
      const findKnown = knownSends(db, chain, name);
      const usdc = await chain.listOutgoing(from.usdc, findKnown);
      const native = await compareCoins(context, chain, wallet, from.native, findKnown);
      const cursor = JSON.stringify({ usdc: usdc.cursor, native: native.cursor } satisfies Cursors);
      const seen = [
        ...usdc.transfers.map((one) => asFound(name, network, 'usdc', one)),
        ...native.transfers.map((one) => asFound(name, network, 'native', one)),
      ];
      if (seen.length === 0) return { strangers: [], cursor };
      const known = await findKnown(seen.map(({ reference }) => reference));
      const { expected, unexpected } = await sortFound(db, chain, wallet, known, seen);
      const isOwners = unexpected.length > 0 && (await isHeldByOthers(db, wallet));
      const book = (one: FoundOutflow) => asStranger(context, wallet, one);
      return {
        strangers: isOwners ? [] : unexpected.map(book),
        expected: [...expected, ...(isOwners ? unexpected : [])].map(book),
        cursor,
      };
    },
  };
}

type FindKnown = (references: readonly string[]) => Promise<ReadonlySet<string>>;

function knownSends(db: Db, chain: Chain, holder: string): FindKnown {
  return async (references) => namesOfKnown(await listKnownSends(db, holder, references), (id) => chain.intentKey(id));
}

/** Splits found sends into expected and unexpected. Leaves out known ones, and those that an open movement will find by itself. */
async function sortFound(
  db: Db,
  chain: Chain,
  wallet: HeldWallet,
  known: ReadonlySet<string>,
  seen: readonly FoundOutflow[],
): Promise<{ readonly expected: readonly FoundOutflow[]; readonly unexpected: readonly FoundOutflow[] }> {
  const begun = new Map((await listBegunMovements(db, wallet)).map((movement) => [chain.intentKey(movement.id), movement]));
  const expected: FoundOutflow[] = [];
  const unexpected: FoundOutflow[] = [];
  for (const one of seen) {
    const movement = one.intentKey === null ? undefined : begun.get(one.intentKey);
    // Anybody who saw a signed authorisation can submit it. Its movement then finds it under another reference.
    if (isKnownOutgoing(known, one) || (movement !== undefined && movement.state !== 'queued')) continue;
    // The movement's bytes counted as expired, yet somebody who had them, or the books before a restore, sent it.
    (movement?.destination === one.destination ? expected : unexpected).push(one);
  }
  return { expected, unexpected };
}

/**
 * True if the owner exported the key. Also true if an earlier send of this wallet is unexplained, because a restore may have lost the
 * export. So such a wallet closes the outflow gate only once.
 */
async function isHeldByOthers(db: Db, { agentId, network, address }: HeldWallet): Promise<boolean> {
  return (await hasExportedKey(db, agentId, networkFacts[network].kind)) || (await hasUnexplained(db, address));
}

async function firstCursors(chain: Chain): Promise<Cursors> {
  if (chain.kind === 'solana') return { usdc: '', native: '' };
  const now = BigInt((await chain.listOutgoing(null, async () => new Set())).cursor);
  return { usdc: String(now > SEARCHED_BLOCKS ? now - SEARCHED_BLOCKS : 0n), native: '0' };
}

interface Coins {
  readonly transfers: readonly SeenOutgoing[];
  readonly cursor: string;
}

async function compareCoins(
  { database }: Context,
  chain: Chain,
  wallet: HeldWallet,
  cursor: string,
  findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Coins> {
  if (chain.coins !== undefined) return await chain.coins.listOutgoingCoins(cursor, findKnown);
  if (chain.countSent === undefined) return { transfers: [], cursor };
  const sent = await chain.countSent();
  const known = await readSentCount(database.db, wallet);
  const expected = await countWithUsdc(database.db, chain, wallet, larger(known, BigInt(cursor)), sent);
  // Nodes do not list an account's native sends; they only count its transactions.
  const transfers: readonly SeenOutgoing[] =
    sent > expected
      ? [
          {
            reference: `${wallet.address} transactions ${expected} to ${sent - 1n}`,
            position: 0,
            intentKey: null,
            destination: '',
            micros: 0n,
          },
        ]
      : [];
  return { transfers, cursor: String(larger(sent, expected)) };
}

/** Without a sponsor, USDC leaves in transactions of the wallet's own account, too. They count as known here. */
async function countWithUsdc(db: Db, chain: Chain, wallet: HeldWallet, known: bigint, sent: bigint): Promise<bigint> {
  if (sent <= known) return known;
  let count = known;
  for (const { bytes, nonce } of await listSignedUnder(db, wallet, known, sent)) {
    if (nonce >= count && (await chain.findSender?.(bytes)) === chain.treasury) count = nonce + 1n;
  }
  return count;
}

function asFound(holder: string, network: NetworkName, asset: FoundOutflow['asset'], seen: SeenOutgoing): FoundOutflow {
  const { reference, position, intentKey, destination, micros: amount } = seen;
  return { holder, network, reference, position, intentKey, asset, destination: destination === '' ? null : destination, amount };
}

function asStranger(context: Context, wallet: HeldWallet, found: FoundOutflow): Stranger {
  return { reference: found.reference, book: (tx) => bookFound(tx, context, wallet, found) };
}

/** Books an unknown send and notifies the owner. If its movement is requested again, that movement takes it. */
async function bookFound(
  tx: Tx,
  { events, chains }: Context,
  { agentId, network, address }: HeldWallet,
  found: FoundOutflow,
): Promise<string> {
  const { asset, amount, destination, reference } = found;
  const unit = asset === 'usdc' ? 'USDC' : networkFacts[network].coin.symbol;
  const sum = destination === null ? 'Something' : `${formatUnits(amount, decimalsOf(network, asset))} ${unit}`;
  // Deposits into Earn are the only payments of a wallet to the treasury.
  const isForEarn = asset === 'usdc' && destination !== null && destination === chains.get(network)?.treasury;
  const where = destination === null ? '' : isForEarn ? ` to ${destination}, the treasury, for a deposit into Earn` : ` to ${destination}`;
  const what = `${network}: ${sum} left the wallet ${address} of the agent ${agentId}${where} in ${reference}`;
  if (!(await insertFound(tx, found, null))) return `${what}. It was booked before.`;
  const agent = await findAgent(tx, agentId);
  if (agent !== undefined)
    await appendOwnerEvent(tx, { events }, agent, 'agent.wallet_found', {
      ...{ network, address, reference, what: `${sum}${where}` },
      ...(isForEarn && { earn_usd: formatUsd(amount) }),
    });
  return `${what}. The books lost it, or its key was used elsewhere; its owner is notified.`;
}
