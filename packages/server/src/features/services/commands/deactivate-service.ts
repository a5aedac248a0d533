import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditService } from '../queries.ts';
import { lockService, updateService } from '../repository.ts';
import type { ServicesContext } from '../services-context.ts';

export function deactivateService(context: ServicesContext): HandlersOf<'services'>['deactivate'] {
  return async ({ id }, call) =>
    await call.commit(async (tx) => {
      const service = await lockService(tx, id);
      if (service === undefined) throw new MarketError('service_not_found');
      if (!mayEditService(call.caller, service)) throw new MarketError('forbidden', { message: 'This service is not yours.' });
      if (service.active) {
        await updateService(tx, service.id, { active: false, updatedAt: context.clock.now() });
        await context.events.append(tx, [
          { type: 'service.deactivated', subjectId: service.id, agentId: service.agentId, data: { agent_id: service.agentId } },
        ]);
      }
      return { data: { id: service.id, active: 0 as const } };
    });
}
