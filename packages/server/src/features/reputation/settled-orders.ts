/** GET /api/agents/{id}/reputation/orders: the data with which anybody can compute a score again. */
import { type AgentId, formatUsd, type OperationAnswer, type OperationArguments, type Operations } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import { findPeriod, listWeighedOrders, type WeighedOrder } from './orders-repository.ts';

type Asked = Omit<OperationArguments<Operations['agents']['reputationOrders']>, 'id'>;
type Answer = OperationAnswer<Operations['agents']['reputationOrders']>;

export async function listSettledOrders(db: Db, agentId: AgentId, { service, period: asked, limit, offset }: Asked): Promise<Answer> {
  const period = await findPeriod(db, agentId, service, asked);
  if (period === null) return { data: [], period: null, total: 0, next_period: null };
  const [orders, next] = await Promise.all([
    listWeighedOrders(db, { agentId, service, period, limit, offset }),
    findPeriod(db, agentId, service, period - 1),
  ]);
  return { data: orders.map((order) => presentOrder(order, period)), period, total: orders[0]?.total ?? 0, next_period: next };
}

function presentOrder(order: WeighedOrder, period: number): Answer['data'][number] {
  return {
    period,
    buyer: order.buyer,
    ended_on: order.endedAt.toISOString().slice(0, 10),
    price_usd: formatUsd(order.priceMicros),
    weight: order.weight / 1000,
    completed: order.completed,
    on_time: order.timed ? order.onTime : null,
    dispute_lost: order.disputeLost,
    rating: order.rating,
    good: order.good,
  };
}
