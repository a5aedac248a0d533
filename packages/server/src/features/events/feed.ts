/**
 * The feed of one caller and its cursors. An agent's cursor is a number without gaps. Other callers read several feeds at once, so
 * their cursor is the position of the last event among all events.
 */
import { MarketError } from '@market/contract';
import { type Caller, type ContractWallets, contractsOf, walletsOf } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';
import type { PublishedEvent } from './event-hub.ts';
import {
  type EventFilters,
  type EventRow,
  listOwnedAgents,
  type Position,
  readByNumber,
  readByPosition,
  readLastNumber,
  readNow,
} from './repository.ts';

export interface FeedEvent extends EventRow {
  readonly cursor: string;
}

export interface Feed {
  readonly readers: readonly EventReader[];
  /** Cursor before the first event. */
  readonly start: string;
  /** Number of the last event; null in a feed without numbers. */
  lastNumber(db: Db): Promise<bigint | null>;
  /** Cursor after the last event so far. */
  now(db: Db): Promise<string>;
  /** Throws unless `cursor` is a valid cursor of this feed. */
  requirePosition(db: Db, cursor: string): Promise<void>;
  read(db: Db, after: string, filters: EventFilters, limit: number): Promise<FeedEvent[]>;
  /** The event as this feed shows it. Undefined: it is not after the cursor. `gap`: read the database, because another event may come before. */
  next(after: string, published: PublishedEvent): FeedEvent | undefined | 'gap';
}

/** Query of a client that follows a feed. */
export interface FeedQuery {
  readonly after?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly order_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** The feed of a caller. An API key or order token decides it even beside other credentials. `agentId` selects one agent's feed. */
export async function feedOf(db: Db, caller: Caller, agentId?: string): Promise<Feed> {
  const { agent, orderId, user } = caller;
  if (agent !== undefined && (agentId === undefined || agentId === agent.id)) return numberedFeed(`agent:${agent.id}`);
  if (agentId === undefined && orderId !== undefined) return combinedFeed([`order:${orderId}`]);
  const wallets = [...new Set(walletsOf(caller))];
  const owned = await listOwnedAgents(db, { userId: user?.id ?? null, wallets });
  if (agentId !== undefined) {
    if (!owned.includes(agentId)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    return numberedFeed(`agent:${agentId}`);
  }
  const readers = [
    ...(user === undefined ? [] : [`user:${user.id}` as const]),
    ...wallets.map((address) => `wallet:${address}` as const),
    ...owned.map((id) => `agent:${id}` as const),
  ];
  return combinedFeed(readers, contractsOf(caller));
}

export function numberedFeed(reader: EventReader): Feed {
  const show = (row: EventRow): FeedEvent => ({ ...row, cursor: String(row.seq) });
  return {
    readers: [reader],
    start: '0',
    lastNumber: async (db) => await readLastNumber(db, reader),
    now: async (db) => String(await readLastNumber(db, reader)),
    async requirePosition(db, cursor) {
      if (!/^\d{1,15}$/.test(cursor)) throw new MarketError('invalid_position');
      const last = await readLastNumber(db, reader);
      if (BigInt(cursor) > last)
        throw new MarketError('invalid_position', { message: `The last event of this agent has the number ${last}.` });
    },
    read: async (db, after, filters, limit) => (await readByNumber(db, reader, BigInt(after), filters, limit)).map(show),
    next(after, { event, readers }) {
      const seq = readers.get(reader) ?? null;
      if (seq === null || seq <= BigInt(after)) return undefined;
      // Numbers follow commits, but the hub delivers by transaction, so a later number may come first.
      return seq === BigInt(after) + 1n ? show({ ...event, seq }) : 'gap';
    },
  };
}

const NO_CONTRACTS: ContractWallets = { addresses: [], pairs: [] };

export function combinedFeed(readers: readonly EventReader[], contracts = NO_CONTRACTS): Feed {
  const ofContracts = contracts.addresses.map((address) => `wallet:${address}` as const);
  const show = (row: EventRow): FeedEvent => ({ ...row, seq: null, cursor: writePosition(row) });
  return {
    readers,
    start: writePosition({ xid: 0n, id: 0n }),
    lastNumber: async () => null,
    now: async (db) => writePosition(await readNow(db)),
    async requirePosition(_db, cursor) {
      readPosition(cursor);
    },
    read: async (db, after, filters, limit) =>
      (await readByPosition(db, { readers, contracts }, readPosition(after), filters, limit)).map(show),
    next(after, published) {
      const { event } = published;
      const { xid, id } = readPosition(after);
      if (event.xid < xid || (event.xid === xid && event.id <= id)) return undefined;
      // For contract wallets the database must check on which network the order was paid.
      return ofContracts.some((reader) => published.readers.has(reader)) ? 'gap' : show(event);
    },
  };
}

function writePosition({ xid, id }: Position): string {
  return Buffer.from(`${xid}.${id}`).toString('base64url');
}

function readPosition(cursor: string): Position {
  const [, xid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (xid === undefined || id === undefined) throw new MarketError('invalid_position');
  return { xid: BigInt(xid), id: BigInt(id) };
}
