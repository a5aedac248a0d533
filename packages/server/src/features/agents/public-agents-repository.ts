/** Public agents, which the market shows to strangers: active, owned, in good standing, and with an owner who is not banned. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { AgentsTable } from '../../platform/db/schema.generated.ts';

/** The SQL condition. `agents` is the name of the table in the statement. */
export function publicAgents(agents = 'agents'): RawBuilder<boolean> {
  return sql.raw(`(${agents}.active and ${agents}.marketable and ${agents}.moderation_status = 'ok' and not ${agents}.owner_banned)`);
}

export function isPublicAgent(agent: Pick<Selectable<AgentsTable>, 'active' | 'marketable' | 'moderationStatus' | 'ownerBanned'>): boolean {
  return agent.active && agent.marketable && agent.moderationStatus === 'ok' && !agent.ownerBanned;
}
