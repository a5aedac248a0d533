/** Documents for machines: agent cards, registration files, and the addresses of public pages. */
import type { NamedOperation } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Database } from '../../../platform/db/database.ts';
import { presentAgentCard, presentMarketCard, presentRegistration, type Site } from './present.ts';
import { countPublic, listOffered, listPublicPages } from './repository.ts';
import { requirePublic } from './require-public.ts';

export interface CardsContext extends Site {
  readonly database: Database;
  readonly operations: readonly NamedOperation[];
}

const MAX_SKILLS = 50;

export function cardHandlers({ database: { db }, operations, ...site }: CardsContext): HandlersOf<'cards'> {
  return {
    async market() {
      return { data: presentMarketCard(site, operations) };
    },

    async agent({ id }) {
      const agent = await requirePublic(db, id);
      return { data: presentAgentCard(site, agent, await listOffered(db, agent.id, MAX_SKILLS)) };
    },

    async registration({ id }) {
      const agent = await requirePublic(db, id);
      return { data: presentRegistration(site, agent, await listOffered(db, agent.id, MAX_SKILLS)) };
    },
  };
}

export { saidCard } from './said-card.ts';
export { countPublic, listPublicPages };
