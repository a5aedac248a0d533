/** GET /api/said/card/{id}: the document an agent's identity on chain points at. */
import type { HandlersOf } from '../../../access/call.ts';
import type { Database } from '../../../platform/db/database.ts';
import { presentSaidCard, presentSaidPlatform, type Site } from './present.ts';
import { listOffered } from './repository.ts';
import { requirePublic } from './require-public.ts';

const MAX_SKILLS = 50;

export function saidCard({ database: { db }, ...site }: Site & { readonly database: Database }): HandlersOf<'said'>['card'] {
  return async ({ id }) => {
    if (id === 'platform') return { data: presentSaidPlatform(site) };
    const agent = await requirePublic(db, id);
    return { data: presentSaidCard(site, agent, await listOffered(db, agent.id, MAX_SKILLS)) };
  };
}
