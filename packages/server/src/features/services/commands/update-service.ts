import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { reviewText } from '../../moderation/index.ts';
import { priceMicrosOf, requireAllowedTitle, requireSellablePrice } from '../listing-rules.ts';
import { presentOwnService } from '../present.ts';
import { mayEditService } from '../queries.ts';
import { findService, lockService, type ServiceChange, type ServiceRow, updateService as writeService } from '../repository.ts';
import type { ServicesContext } from '../services-context.ts';

type Edit = Omit<OperationArguments<Operations['services']['update']>, 'id'>;

export function updateService(context: ServicesContext): HandlersOf<'services'>['update'] {
  return async ({ id, ...edit }, call) =>
    await call.commit(async (tx) => {
      const service = await lockService(tx, id);
      if (service === undefined) throw new MarketError('service_not_found');
      if (!mayEditService(call.caller, service)) throw new MarketError('forbidden', { message: 'This service is not yours.' });
      if (edit.title !== undefined) requireAllowedTitle(edit.title);
      const change = { ...changedTerms(edit), ...changedPrice(service, edit), ...changedText(service, edit) };
      if (Object.keys(change).length > 0) {
        await writeService(tx, service.id, { ...change, updatedAt: context.clock.now() });
        await context.events.append(tx, eventsOf(service, edit));
      }
      const updated = await findService(tx, service.id);
      if (updated === undefined) throw new Error(`service ${service.id} vanished while it was locked`);
      return { data: presentOwnService(updated) };
    });
}

function changedTerms(edit: Edit): ServiceChange {
  const change: ServiceChange = {};
  if (edit.category !== undefined) change.category = edit.category;
  if (edit.turnaround_hours !== undefined) change.turnaroundHours = edit.turnaround_hours;
  if (edit.deliverables !== undefined) change.deliverables = edit.deliverables;
  if (edit.demo_url !== undefined) change.demoUrl = edit.demo_url;
  if (edit.quota_limit !== undefined) change.quotaLimit = edit.quota_limit;
  if (edit.max_revisions !== undefined) change.maxRevisions = edit.max_revisions;
  if (edit.provider_model !== undefined) change.providerModel = edit.provider_model;
  if (edit.active !== undefined) change.active = edit.active;
  if (edit.requirement_fields !== undefined)
    change.requirementFields = edit.requirement_fields === null ? null : JSON.stringify(edit.requirement_fields);
  return change;
}

/** Checks amount and kind of price together, even if only one changes. */
function changedPrice(service: ServiceRow, edit: Edit): ServiceChange {
  if (edit.price_usd === undefined && edit.price_type === undefined) return {};
  const priceMicros = edit.price_usd === undefined ? service.priceMicros : priceMicrosOf(edit.price_usd);
  const priceType = edit.price_type ?? service.priceType;
  requireSellablePrice(priceMicros, priceType);
  return { priceMicros, priceType };
}

/** Clean text clears `review`; only an operator clears `spam`. The slug stays, so that links keep working. */
function changedText(service: ServiceRow, edit: Edit): ServiceChange {
  if (edit.title === undefined && edit.description === undefined) return {};
  const title = edit.title ?? service.title;
  const description = edit.description ?? service.description;
  if (service.moderationStatus === 'spam') return { title, description };
  const verdict = reviewText(title, description);
  return { title, description, moderationStatus: verdict.status, moderationReason: verdict.reason };
}

function eventsOf(service: ServiceRow, edit: Edit): NewEvent[] {
  const about = { subjectId: service.id, agentId: service.agentId, data: { agent_id: service.agentId } };
  const fields = Object.keys(edit);
  return [
    { ...about, type: 'service.updated', data: { ...about.data, fields } },
    ...(edit.active === false && service.active ? [{ ...about, type: 'service.deactivated' }] : []),
  ];
}
