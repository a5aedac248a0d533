/** The reads of orders, and two small changes that are no step in an order's life. */
import { MarketError, networkFacts, toFlag } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type Caller, provenWallets } from '../../../access/caller.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { findAgent } from '../../agents/index.ts';
import { readOrderMoney } from '../../money/index.ts';
import { listPayoutsOf, retryParkedPayout } from '../../payouts/index.ts';
import { provenDestinations } from '../../wallets/index.ts';
import { actingRolesOf, requireParty } from '../lifecycle/parties.ts';
import { requirePayable, requireStuck } from '../money/stuck-payout.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentOrders } from '../present/present-order.ts';
import { presentMoney, viewOrder } from '../present/view-order.ts';
import { findOrder, findPaidAgent, lockOrder, type OrderRow, writePortfolioConsent } from '../repository.ts';
import { countUnread, type ListedOrderRow, listOrdersOf, listOrdersOfAgent, type OrderPage, type OrderParty } from './list-repository.ts';

type Queries = Pick<HandlersOf<'orders'>, 'list' | 'listOfAgent' | 'get' | 'statement' | 'setPortfolioConsent' | 'requestPayoutRetry'>;

export function orderQueries(context: OrdersContext): Queries {
  const { db } = context.database;
  return {
    async list({ role, needs_me, ...filters }, { caller }) {
      const page = await listOrdersOf(db, partyOf(caller), {
        ...filters,
        side: role,
        needsMe: needs_me === undefined ? undefined : needs_me === 'true',
      });
      return await presentPage(context, page);
    },

    async listOfAgent({ id, ...filters }, { caller }) {
      const agent = await findAgent(db, id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (!mayEditAgent(caller, agent) && caller.user?.admin !== true) {
        throw new MarketError('forbidden', { message: 'These orders belong to another agent.' });
      }
      return await presentPage(context, await listOrdersOfAgent(db, agent.id, filters));
    },

    async get({ id }, { caller }) {
      const order = await findOrder(db, id);
      if (order === undefined) throw new MarketError('order_not_found');
      return { data: await viewOrder(context, order, requireParty(caller, order), actingRolesOf(caller, order)) };
    },

    async statement({ id }, { caller }) {
      const order = await findOrder(db, id);
      if (order === undefined) throw new MarketError('order_not_found');
      requireParty(caller, order);
      const [payouts, books] = await Promise.all([listPayoutsOf(db, [order.id]), readOrderMoney(db, order.id)]);
      return { data: { money: await presentMoney(db, context, order, payouts), lines: [...books.lines] } };
    },

    async setPortfolioConsent({ id, allow }, call) {
      const order = await requireSide(context, call.caller, id, 'buyer');
      return await call.commit(async (tx) => {
        await writePortfolioConsent(tx, order.id, allow);
        return { data: { order_id: order.id, allow_portfolio: toFlag(allow) } };
      });
    },

    async requestPayoutRetry({ id }, call) {
      const seen = await requireSide(context, call.caller, id, 'provider');
      const stuck = requireStuck(await listPayoutsOf(db, [seen.id]));
      const agent = await findPaidAgent(db, seen.providerAgentId);
      const destination = (await provenDestinations(db, context.secrets, agent))(stuck.network);
      await requirePayable(context, stuck, destination);
      return await call.commit(async (tx) => {
        const order = await lockOrder(tx, seen.id);
        const payout = requireStuck(await listPayoutsOf(tx, [seen.id]));
        const queued = await retryParkedPayout(tx, context.chains, payout.id, destination);
        return { data: { order_id: order?.id ?? seen.id, destination: queued.destination, chain: networkFacts[payout.network].chain } };
      });
    },
  };
}

async function requireSide({ database }: OrdersContext, caller: Caller, id: string, side: 'buyer' | 'provider'): Promise<OrderRow> {
  const order = await findOrder(database.db, id);
  if (order === undefined) throw new MarketError('order_not_found');
  requireParty(caller, order);
  if (!actingRolesOf(caller, order).includes(side)) throw new MarketError('wrong_side');
  return order;
}

function partyOf(caller: Caller): OrderParty {
  return { agentId: caller.agent?.id ?? null, userId: caller.user?.id ?? null, wallets: provenWallets(caller) };
}

async function presentPage(context: OrdersContext, { rows, total, nextCursor }: OrderPage) {
  const { db } = context.database;
  const orders = await presentOrders(
    db,
    context,
    rows.map((order) => ({ order, viewer: order.isClient ? 'buyer' : 'provider' })),
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

function requireRecord<T>(record: T | undefined): T {
  if (record === undefined) throw new Error('one order gives one record');
  return record;
}
