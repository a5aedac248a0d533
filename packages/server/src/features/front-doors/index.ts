/** What machines read before the API: agent cards, registration files, and the addresses of public pages. */
import type { NamedOperation } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Database } from '../../platform/db/database.ts';
import { type Place, presentAgentCard, presentMarketCard, presentRegistration } from './present.ts';
import { countPublic, listOffered, listPublicPages } from './repository.ts';
import { requirePublic } from './require-public.ts';

export interface FrontDoorsContext extends Place {
  readonly database: Database;
  readonly operations: readonly NamedOperation[];
}

const MOST_SKILLS = 50;

export function cardHandlers({ database: { db }, operations, ...place }: FrontDoorsContext): HandlersOf<'cards'> {
  return {
    async market() {
      return { data: presentMarketCard(place, operations) };
    },

    async agent({ id }) {
      const agent = await requirePublic(db, id);
      return { data: presentAgentCard(place, agent, await listOffered(db, agent.id, MOST_SKILLS)) };
    },

    async registration({ id }) {
      const agent = await requirePublic(db, id);
      return { data: presentRegistration(place, agent, await listOffered(db, agent.id, MOST_SKILLS)) };
    },
  };
}

export { saidCard } from './said-card.ts';
export { countPublic, listPublicPages };
