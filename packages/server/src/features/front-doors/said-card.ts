/** GET /api/said/card/{id}: the document an agent's identity on chain points at. */
import type { HandlersOf } from '../../access/call.ts';
import type { Database } from '../../platform/db/database.ts';
import { type Place, presentSaidCard, presentSaidPlatform } from './present.ts';
import { listOffered } from './repository.ts';
import { requirePublic } from './require-public.ts';

const MOST_SKILLS = 50;

export function saidCard({ database: { db }, ...place }: Place & { readonly database: Database }): HandlersOf<'said'>['card'] {
  return async ({ id }) => {
    if (id === 'platform') return { data: presentSaidPlatform(place) };
    const agent = await requirePublic(db, id);
    return { data: presentSaidCard(place, agent, await listOffered(db, agent.id, MOST_SKILLS)) };
  };
}
