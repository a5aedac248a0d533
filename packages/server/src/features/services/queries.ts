/** The reads of services. */
import { type AgentId, MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { mayEditAgent } from '../../access/ownership.ts';
import type { Db } from '../../platform/db/database.ts';
import { type FirstOf, requireShownAgent } from '../agents/index.ts';
import { presentReputation } from '../reputation/index.ts';
import { presentOwnService, presentService, presentServiceAgent } from './present.ts';
import { findService, findServiceBySlug, listServicesOf, type ServiceRow } from './repository.ts';
import { listRelated, searchServices } from './search-repository.ts';
import type { ServicesContext } from './services-context.ts';

const RELATED_SERVICES = 4;
const PROFILE_SERVICES = 12;

type Queries = Pick<HandlersOf<'services'>, 'list' | 'listOfAgent' | 'get' | 'reputation' | 'bySlug'>;

export function serviceQueries({ database: { db }, reviewsOf }: ServicesContext): Queries {
  return {
    async list(filters) {
      const page = await searchServices(db, filters);
      return { data: page.rows.map(presentService), total: page.total, total_capped: page.totalCapped, next_cursor: page.nextCursor };
    },

    async listOfAgent({ id, ...paging }, { caller }) {
      const agent = await requireShownAgent(db, caller, id);
      const own = mayEditAgent(caller, agent);
      const page = await listServicesOf(db, agent.id, { ...paging, all: own });
      return { data: page.rows.map(own ? presentOwnService : presentService), total: page.total, next_cursor: page.nextCursor };
    },

    async get({ id }, { caller }) {
      const service = visibleTo(caller, await findService(db, id));
      return { data: mayEditService(caller, service) ? presentOwnService(service) : presentService(service) };
    },

    async reputation({ id }, { caller }) {
      return { data: presentReputation(visibleTo(caller, await findService(db, id))) };
    },

    async bySlug({ agentSlug, serviceSlug }, { caller }) {
      const service = visibleTo(caller, await findServiceBySlug(db, agentSlug, serviceSlug));
      const [reviews, related] = await Promise.all([reviewsOf(service.id), listRelated(db, service, RELATED_SERVICES)]);
      return {
        data: { service: presentService(service), agent: presentServiceAgent(service), reviews, related: related.map(presentService) },
      };
    },
  };
}

/** The first services of the agent's public profile. The cursor goes on in `listOfAgent`. */
export async function offeredServices(db: Db, agentId: AgentId): Promise<FirstOf<ReturnType<typeof presentService>>> {
  const { rows, total, nextCursor } = await listServicesOf(db, agentId, { all: false, limit: PROFILE_SERVICES, offset: 0 });
  return { first: rows.map(presentService), rest: { total, next_cursor: nextCursor } };
}

/** Only its owner and operators see a hidden service; for others it does not exist. */
function visibleTo(caller: Caller, service: ServiceRow | undefined): ServiceRow {
  const mayLook = (hidden: ServiceRow): boolean => mayEditService(caller, hidden) || caller.user?.admin === true;
  if (service === undefined || (!service.listed && !mayLook(service))) throw new MarketError('service_not_found');
  return service;
}

export function mayEditService(caller: Caller, service: ServiceRow): boolean {
  return mayEditAgent(caller, { id: service.agentId, ownerWallet: service.agentOwnerWallet, ownerUserId: service.agentOwnerUserId });
}
