/** Reviews of completed orders, and the answers of agents. */
import { type AgentId, MarketError, type OperationAnswer, type Operations, type ServiceId } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { type FirstOf, requireShownAgent } from '../../agents/index.ts';
import { findService } from '../../services/index.ts';
import { type OrdersContext, presentReview } from '../index.ts';
import { createReview } from './create-review.ts';
import { listReviews, type Reviewed, type ReviewPage } from './repository.ts';

type Explorer = Pick<OrdersContext, 'database' | 'explorerUrl'>;
type WireReviews = OperationAnswer<Operations['reviews']['listOfAgent']>['data'];

const SHOWN_ELSEWHERE = 10;

export function reviewHandlers(context: OrdersContext): HandlersOf<'reviews'> {
  const { db } = context.database;
  return {
    create: createReview(context),

    async listOfAgent({ id, ...paging }, { caller }) {
      const agent = await requireShownAgent(db, caller, id);
      return presentPage(await listReviews(db, { agentId: agent.id }, paging), context);
    },

    async listOfService({ id, ...paging }, { caller }) {
      const service = await findService(db, id);
      const provider = service && { id: service.agentId, ownerWallet: service.agentOwnerWallet, ownerUserId: service.agentOwnerUserId };
      if (service === undefined || provider === undefined || (!service.listed && !mayEditAgent(caller, provider))) {
        throw new MarketError('service_not_found');
      }
      return presentPage(await listReviews(db, { serviceId: service.id }, paging), context);
    },
  };
}

function presentPage({ rows, total, nextCursor }: ReviewPage, { explorerUrl }: Explorer) {
  return { data: rows.map((row) => presentReview(row, explorerUrl)), total, next_cursor: nextCursor };
}

/** The newest reviews for the pages of agents and services, which know nothing of orders. */
export const latestReviews = {
  ofAgent: (explorer: Explorer, agentId: AgentId): Promise<FirstOf<WireReviews[number]>> => newest(explorer, { agentId }),
  ofService: async (explorer: Explorer, serviceId: ServiceId): Promise<WireReviews> => (await newest(explorer, { serviceId })).first,
};

async function newest({ database: { db }, explorerUrl }: Explorer, reviewed: Reviewed): Promise<FirstOf<WireReviews[number]>> {
  const { rows, total, nextCursor } = await listReviews(db, reviewed, { limit: SHOWN_ELSEWHERE, offset: 0 });
  return { first: rows.map((row) => presentReview(row, explorerUrl)), rest: { total, next_cursor: nextCursor } };
}
