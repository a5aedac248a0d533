/** Updates the service figures of an agent: count, categories, models, lowest price. */
import type { AgentId } from '@market/contract';
import type { EventFollower } from '../../platform/events/event-log.ts';
import { recountServiceFigures } from './repository.ts';

export const serviceFigures: EventFollower = {
  name: 'service_figures',
  types: ['service.created', 'service.updated', 'service.deactivated', 'service.moderated'],
  retryAfterSeconds: [1, 5, 30, 300],
  handle: (tx, events) => recountServiceFigures(tx, [...new Set(events.map(({ data }) => data['agent_id'] as AgentId))]),
};
