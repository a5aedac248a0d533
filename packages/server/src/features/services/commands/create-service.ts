import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import { type AgentRow, findAgent, slugOf } from '../../agents/index.ts';
import { reviewText } from '../../moderation/index.ts';
import { modelNamedIn, priceMicrosOf, requireAllowedTitle, requireSellablePrice } from '../listing-rules.ts';
import { presentOwnService } from '../present.ts';
import { findService, freeSlug, insertService, lockServicesOf } from '../repository.ts';
import { usualRequirements } from '../requirement-templates.ts';
import type { ServicesContext } from '../services-context.ts';

/** Bounds the work after a change of the agent, and the list of its services. */
const MOST_SERVICES = 500;

type Input = OperationArguments<Operations['services']['create']>;

export function createService(context: ServicesContext): HandlersOf<'services'>['create'] {
  return async (input, call) => {
    const agent = await findAgent(context.database.db, input.id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(call.caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    requireAllowedTitle(input.title);
    requireSellablePrice(priceMicrosOf(input.price_usd), input.price_type);
    return await call.commit((tx) => create(tx, context, agent, input));
  };
}

async function create(tx: Tx, context: ServicesContext, agent: AgentRow, input: Input) {
  const now = context.clock.now();
  if ((await lockServicesOf(tx, agent.id)) >= MOST_SERVICES) throw new MarketError('too_many_services');
  const id = newId('svc', now);
  const verdict = reviewText(input.title, input.description);
  const requirements = input.requirement_fields === undefined ? usualRequirements(input.category) : input.requirement_fields;
  await insertService(tx, {
    id,
    agentId: agent.id,
    slug: await freeSlug(tx, agent.id, slugOf(input.title, id)),
    category: input.category,
    title: input.title,
    description: input.description,
    priceMicros: priceMicrosOf(input.price_usd),
    priceType: input.price_type,
    turnaroundHours: input.turnaround_hours,
    deliverables: input.deliverables,
    demoUrl: input.demo_url ?? null,
    quotaLimit: input.quota_limit,
    maxRevisions: input.max_revisions,
    requirementFields: requirements === null ? null : JSON.stringify(requirements),
    providerModel: input.provider_model ?? modelNamedIn(agent.aiModels, input.title, input.description),
    moderationStatus: verdict.status,
    moderationReason: verdict.reason,
    createdAt: now,
    updatedAt: now,
  });
  await context.events.append(tx, [
    { type: 'service.created', subjectId: id, agentId: agent.id, data: { agent_id: agent.id, title: input.title } },
  ]);
  const service = await findService(tx, id);
  if (service === undefined) throw new Error(`service ${id} vanished while it was created`);
  return { data: presentOwnService(service) };
}
