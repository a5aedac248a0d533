/**
 * The feed of one caller and its cursors. An agent's cursor is a number without gaps. Other callers read several feeds at once, so
 * their cursor is the position of the last event among all events.
 */
import { MarketError } from '@market/contract';
import { type Caller, type ContractPlaces, contractsOf, walletsOf } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';
import type { PublishedEvent } from './event-hub.ts';
import {
  type EventFilters,
  type EventRow,
  listOwnedAgents,
  type Place,
  readByNumber,
  readByPlace,
  readLastNumber,
  readNow,
} from './repository.ts';

export interface FeedEvent extends EventRow {
  readonly cursor: string;
}

export interface Feed {
  readonly readers: readonly EventReader[];
  /** Before everything. */
  readonly start: string;
  /** How far its numbers go; null where it has none. */
  lastNumber(db: Db): Promise<bigint | null>;
  /** After everything that has happened. */
  now(db: Db): Promise<string>;
  /** Throws unless it is a place of this feed. */
  requirePlace(db: Db, cursor: string): Promise<void>;
  read(db: Db, after: string, filters: EventFilters, limit: number): Promise<FeedEvent[]>;
  /** The event as this feed shows it; undefined when it stands before the cursor, `gap` when another one belongs in between. */
  next(after: string, published: PublishedEvent): FeedEvent | undefined | 'gap';
}

/** What a reader asked for. */
export interface FeedWish {
  readonly after?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly order_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** An API key, or an order token, decides the feed even if the request has other credentials. `agentId` selects one agent's feed. */
export async function feedOf(db: Db, caller: Caller, agentId?: string): Promise<Feed> {
  const { agent, orderId, user } = caller;
  if (agent !== undefined && (agentId === undefined || agentId === agent.id)) return numberedFeed(`agent:${agent.id}`);
  if (agentId === undefined && orderId !== undefined) return placedFeed([`order:${orderId}`]);
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
  return placedFeed(readers, contractsOf(caller));
}

export function numberedFeed(reader: EventReader): Feed {
  const show = (row: EventRow): FeedEvent => ({ ...row, cursor: String(row.seq) });
  return {
    readers: [reader],
    start: '0',
    lastNumber: async (db) => await readLastNumber(db, reader),
    now: async (db) => String(await readLastNumber(db, reader)),
    async requirePlace(db, cursor) {
      if (!/^\d{1,15}$/.test(cursor)) throw new MarketError('invalid_position');
      const last = await readLastNumber(db, reader);
      if (BigInt(cursor) > last)
        throw new MarketError('invalid_position', { message: `The last event of this agent has the number ${last}.` });
    },
    read: async (db, after, filters, limit) => (await readByNumber(db, reader, BigInt(after), filters, limit)).map(show),
    next(after, { event, readers }) {
      const seq = readers.get(reader) ?? null;
      if (seq === null || seq <= BigInt(after)) return undefined;
      // Numbers follow commits, but the hub delivers by transaction: a later number may come first.
      return seq === BigInt(after) + 1n ? show({ ...event, seq }) : 'gap';
    },
  };
}

const NO_CONTRACTS: ContractPlaces = { addresses: [], places: [] };

export function placedFeed(readers: readonly EventReader[], contracts = NO_CONTRACTS): Feed {
  const ofContracts = contracts.addresses.map((address) => `wallet:${address}` as const);
  const show = (row: EventRow): FeedEvent => ({ ...row, seq: null, cursor: writePlace(row) });
  return {
    readers,
    start: writePlace({ xid: 0n, id: 0n }),
    lastNumber: async () => null,
    now: async (db) => writePlace(await readNow(db)),
    async requirePlace(_db, cursor) {
      readPlace(cursor);
    },
    read: async (db, after, filters, limit) => (await readByPlace(db, { readers, contracts }, readPlace(after), filters, limit)).map(show),
    next(after, published) {
      const { event } = published;
      const { xid, id } = readPlace(after);
      if (event.xid < xid || (event.xid === xid && event.id <= id)) return undefined;
      // Only the database knows on which network its order was paid.
      return ofContracts.some((reader) => published.readers.has(reader)) ? 'gap' : show(event);
    },
  };
}

function writePlace({ xid, id }: Place): string {
  return Buffer.from(`${xid}.${id}`).toString('base64url');
}

function readPlace(cursor: string): Place {
  const [, xid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (xid === undefined || id === undefined) throw new MarketError('invalid_position');
  return { xid: BigInt(xid), id: BigInt(id) };
}
