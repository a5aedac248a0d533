/** Updates the service figures of an agent: count, categories, models, lowest price. */
import type { AgentId } from '@market/contract';
import type { Database } from '../../platform/db/database.ts';
import type { EventSubscriber } from '../../platform/events/event-log.ts';
import { recountServiceFigures } from './repository.ts';

export function serviceFigures({ transaction }: Database): EventSubscriber {
  return {
    name: 'service_figures',
    types: ['service.created', 'service.updated', 'service.deactivated', 'service.moderated'],
    retryAfterSeconds: [1, 5, 30, 300],
    async handle(event, attempt) {
      await transaction(async (tx) => {
        await recountServiceFigures(tx, event.data['agent_id'] as AgentId);
        await attempt.complete(tx);
      });
    },
  };
}
