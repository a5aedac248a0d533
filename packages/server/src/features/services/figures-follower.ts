/** Updates the service figures of an agent (count, categories, models, lowest price) and the vocabulary of the search. */
import type { AgentId } from '@market/contract';
import type { EventFollower, StoredEvent } from '../../platform/events/event-log.ts';
import { noteWords, recountServiceFigures } from './repository.ts';

/** After these events, all services of an agent may be public for the first time, or contain a new agent name. */
const ofAgents = ['agent.linked', 'agent.activated', 'agent.moderated', 'agent.updated'];
/** Fields whose change can make services public or change their words. */
const LISTING_FIELDS = new Set(['name', 'description', 'owner_wallet']);

export const serviceFigures: EventFollower = {
  name: 'service_figures',
  types: ['service.created', 'service.updated', 'service.deactivated', 'service.moderated', ...ofAgents],
  retryAfterSeconds: [1, 5, 30, 300],
  async handle(tx, events) {
    const aboutServices = events.filter(({ type }) => !ofAgents.includes(type));
    const agents = events.filter((event) => ofAgents.includes(event.type) && mayListServices(event));
    if (aboutServices.length > 0) {
      await recountServiceFigures(tx, [...new Set(aboutServices.map(({ data }) => data['agent_id'] as AgentId))]);
    }
    if (aboutServices.length + agents.length > 0) await noteWords(tx, subjectsOf(aboutServices), subjectsOf(agents));
  },
};

function mayListServices({ type, data }: StoredEvent): boolean {
  return type !== 'agent.updated' || (data['fields'] as readonly string[]).some((name) => LISTING_FIELDS.has(name));
}

function subjectsOf(events: readonly StoredEvent[]): string[] {
  return [...new Set(events.map(({ subjectId }) => subjectId))];
}
