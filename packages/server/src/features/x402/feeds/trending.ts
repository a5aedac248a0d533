/** GET /api/x402/trending: the services hired most. */
import { formatUsd, type OperationAnswer, type Operations, operations, toWireTime, untrustedTextOf } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { X402Context } from '../x402-context.ts';
import { listTrending, type TrendingRow } from './trending-repository.ts';

type TrendingService = OperationAnswer<Operations['x402']['trending']>['data']['services'][number];

export function listDemand(context: X402Context): HandlersOf<'x402'>['trending'] {
  return async ({ limit, window_days: days, q }) => {
    const ranked = context.chains.size === 0 ? [] : await listTrending(context.database.db, days, limit, q);
    const services = ranked.map(presentTrending);
    return { data: { window_days: days, count: services.length, services }, untrusted_text: untrustedTextOf(operations.x402.trending) };
  };
}

function presentTrending(row: TrendingRow): TrendingService {
  return {
    service_id: row.serviceId,
    title: row.title,
    category: row.category,
    price_usd: formatUsd(row.priceMicros),
    agent_id: row.agentId,
    agent_name: row.agentName,
    agent_slug: row.agentSlug,
    order_count: row.orders,
    distinct_buyers: row.buyers,
    last_order_at: toWireTime(row.lastOrderAt),
    score: Math.round(row.score * 1000) / 1000,
  };
}
