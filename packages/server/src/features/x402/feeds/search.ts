/** GET /api/x402/search: payable services that contain some words. */
import { feeOf, formatUsd, type OperationAnswer, type Operations, operations, untrustedTextOf } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { ServiceRow } from '../../services/index.ts';
import type { X402Context } from '../x402-context.ts';
import { addressOf, pageOfPayables } from './payables.ts';

type Found = OperationAnswer<Operations['x402']['search']>['data'][number];

export function searchPayables(context: X402Context): HandlersOf<'x402'>['search'] {
  return async ({ query, category, limit }) => {
    const page = await pageOfPayables(context, { search: query, category, limit, offset: 0 });
    return {
      data: page.rows.map((row) => presentFound(context, row)),
      total: page.total,
      untrusted_text: untrustedTextOf(operations.x402.search),
    };
  };
}

function presentFound(context: X402Context, service: ServiceRow): Found {
  const { priceMicros } = service;
  return {
    service_id: service.id,
    title: service.title,
    category: service.category,
    agent_id: service.agentId,
    agent_name: service.agentName,
    agent_slug: service.agentSlug,
    price_type: 'fixed',
    price_usd: Number(formatUsd(priceMicros)),
    total_charged_usd: Number(formatUsd(priceMicros + feeOf(priceMicros))),
    turnaround_hours: service.turnaroundHours,
    discover_url: addressOf(context, service),
    pay_url: `${context.baseUrl}/api/x402/pay?service_id=${encodeURIComponent(service.id)}`,
  };
}
