/** Lists orders: of a caller from both sides, or of one agent. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type Caller, contractsOf, walletsOf } from '../../../access/caller.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { findAgent } from '../../agents/index.ts';
import { rolesOf } from '../lifecycle/parties.ts';
import type { Viewer } from '../lifecycle/withheld.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentOrders } from '../present/present-order.ts';
import { countUnread, type ListedOrderRow, listOrdersOf, listOrdersOfAgent, type OrderPage, type OrderParty } from './list-repository.ts';

export function listOrders(context: OrdersContext): HandlersOf<'orders'>['list'] {
  return async ({ role, needs_me, ...filters }, { caller }) => {
    const page = await listOrdersOf(context.database.db, partyOf(caller), {
      ...filters,
      side: role,
      needsMe: needs_me === undefined ? undefined : needs_me === 'true',
    });
    return await presentPage(context, caller, page);
  };
}

export function listAgentOrders(context: OrdersContext): HandlersOf<'orders'>['listOfAgent'] {
  const { db } = context.database;
  return async ({ id, ...filters }, { caller }) => {
    const agent = await findAgent(db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(caller, agent) && caller.user?.admin !== true) {
      throw new MarketError('forbidden', { message: 'These orders belong to another agent.' });
    }
    return await presentPage(context, caller, await listOrdersOfAgent(db, agent.id, filters));
  };
}

function partyOf(caller: Caller): OrderParty {
  return { agentId: caller.agent?.id ?? null, userId: caller.user?.id ?? null, wallets: walletsOf(caller), contracts: contractsOf(caller) };
}

async function presentPage(context: OrdersContext, caller: Caller, { rows, total, nextCursor }: OrderPage) {
  const { db } = context.database;
  const orders = await presentOrders(
    db,
    context,
    rows.map((order) => ({ order, viewer: viewerOfListed(caller, order) })),
  );
  const unread = await countUnread(
    db,
    rows.map(({ id, isClient }) => ({ id, side: isClient ? 'client' : 'agent' })),
  );
  const sideOf = (row: ListedOrderRow): 'client' | 'provider' => (row.isClient ? 'client' : 'provider');
  return {
    data: rows.map((row, index) => ({
      ...requireRecord(orders[index]),
      viewer_role: sideOf(row),
      unread_messages: unread.get(row.id) ?? 0,
      needs_me: row.needs === sideOf(row),
    })),
    total,
    next_cursor: nextCursor,
  };
}

/** The list says on which side the caller stands, also for agents that it owns. */
function viewerOfListed(caller: Caller, order: ListedOrderRow): Viewer {
  if (!order.isClient) return { role: 'provider', seesResults: true };
  return { role: 'buyer', seesResults: rolesOf(caller, order).some((role) => role !== 'buyer') };
}

function requireRecord<T>(record: T | undefined): T {
  if (record === undefined) throw new Error('one order gives one record');
  return record;
}
