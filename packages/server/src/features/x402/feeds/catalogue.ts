/** GET /api/x402/services: every payable service with its price on each network. */
import {
  describeMachinePayout,
  feeOf,
  formatUsd,
  MarketError,
  type NetworkName,
  networkOfChain,
  type OperationAnswer,
  type Operations,
  operations,
  untrustedTextOf,
} from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { ServiceRow } from '../../services/index.ts';
import type { X402Context } from '../x402-context.ts';
import { pageOfPayables, pathOf, paymentsFor } from './payables.ts';

type Catalogue = OperationAnswer<Operations['x402']['services']>['data'];

export function listCatalogue(context: X402Context): HandlersOf<'x402'>['services'] {
  return async ({ chain, q: search, ...paging }, { setHeader }) => {
    const network = chain && networkOfChain(chain);
    if (network !== undefined && !context.chains.has(network)) throw new MarketError('network_not_available');
    const page = await pageOfPayables(context, { ...paging, search });
    const data: Catalogue = {
      count: page.rows.length,
      total: page.total,
      total_capped: page.totalCapped,
      limit: paging.limit,
      offset: paging.offset,
      next_cursor: page.nextCursor,
      services: page.rows.map((row) => presentPayable(context, row, network)),
    };
    // Set after the page is read: a refusal has no payment headers.
    setHeader('X-Payment-Scheme', 'exact');
    setHeader('X-Payment-Asset', 'USDC');
    return { data, untrusted_text: untrustedTextOf(operations.x402.services) };
  };
}

function presentPayable(context: X402Context, service: ServiceRow, network: NetworkName | undefined): Catalogue['services'][number] {
  const { priceMicros } = service;
  const fee = feeOf(priceMicros);
  return {
    service_id: service.id,
    title: service.title,
    description: service.description,
    category: service.category,
    agent_id: service.agentId,
    agent_name: service.agentName,
    agent_slug: service.agentSlug,
    turnaround_hours: service.turnaroundHours,
    deliverables: service.deliverables,
    quota_limit: service.quotaLimit,
    requirement_fields: service.requirementFields === null ? null : [...service.requirementFields],
    price_usd: Number(formatUsd(priceMicros)),
    platform_fee_usd: Number(formatUsd(fee)),
    total_charged_usd: Number(formatUsd(priceMicros + fee)),
    discover_url: pathOf(service.id),
    order_url: '/api/orders',
    payout: describeMachinePayout(service.agentPayoutHeldSince !== null),
    payments: paymentsFor(context, service, network),
  };
}
