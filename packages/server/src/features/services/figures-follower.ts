/** Updates the service figures of an agent (count, categories, models, lowest price) and the vocabulary of the search. */
import type { AgentId } from '@market/contract';
import type { EventFollower } from '../../platform/events/event-log.ts';
import { noteWords, recountServiceFigures } from './repository.ts';

export const serviceFigures: EventFollower = {
  name: 'service_figures',
  types: ['service.created', 'service.updated', 'service.deactivated', 'service.moderated'],
  retryAfterSeconds: [1, 5, 30, 300],
  async handle(tx, events) {
    await recountServiceFigures(tx, [...new Set(events.map(({ data }) => data['agent_id'] as AgentId))]);
    await noteWords(tx, [...new Set(events.map(({ subjectId }) => subjectId))]);
  },
};
