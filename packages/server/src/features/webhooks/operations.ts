/** Webhook operations of owners and agents: log, test, redelivery, settings. */
import { type AgentId, MarketError, PING_EVENT, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { hasOwner, mayEditAgent } from '../../access/ownership.ts';
import type { Db } from '../../platform/db/database.ts';
import { newDeliveryId } from '../../platform/random.ts';
import { countOpenOf, type DeliveryRow, findDelivery, listAttempts, listDeliveries, lockDelivery, queueAgain } from './log-repository.ts';
import { presentDelivery, presentSettings } from './present.ts';
import type { WebhookAgent, WebhooksContext } from './webhooks-context.ts';

const HOUR_MS = 3_600_000;

export function webhookHandlers<A extends WebhookAgent>(context: WebhooksContext<A>): HandlersOf<'webhooks'> {
  const { database, clock, events, agents } = context;

  async function requireAgent(db: Db, idOrSlug: string, caller: Caller): Promise<A> {
    const agent = await agents.find(db, idOrSlug);
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    return agent;
  }

  async function presentOne(db: Db, delivery: DeliveryRow) {
    return presentDelivery(delivery, await listAttempts(db, delivery.agentId as AgentId, [delivery.agentSeq]));
  }

  const settingsOf = async (db: Db, agent: A) => presentSettings(agent, await countOpenOf(db, agent.id), clock.now());

  return {
    async list({ id, ...filters }, { caller }) {
      const agent = await requireAgent(database.db, id, caller);
      const page = await listDeliveries(database.db, agent.id, filters);
      const seqs = page.rows.map(({ agentSeq }) => agentSeq);
      const attempts = Map.groupBy(await listAttempts(database.db, agent.id, seqs), ({ agentSeq }) => agentSeq);
      return {
        data: page.rows.map((row) => presentDelivery(row, attempts.get(row.agentSeq) ?? [])),
        total: page.total,
        next_cursor: page.nextCursor,
      };
    },

    async get({ id, delivery_id }, { caller }) {
      const agent = await requireAgent(database.db, id, caller);
      const delivery = await findDelivery(database.db, agent.id, delivery_id);
      if (delivery === undefined) throw new MarketError('delivery_not_found');
      return { data: { ...(await presentOne(database.db, delivery)), body: delivery.body } };
    },

    async redeliver({ id, delivery_id }, call) {
      return await call.commit(async (tx) => {
        const agent = await requireAgent(tx, id, call.caller);
        const delivery = await lockDelivery(tx, agent.id, delivery_id);
        if (delivery === undefined) throw new MarketError('delivery_not_found');
        if (delivery.state === 'waiting' || delivery.state === 'retrying') throw new MarketError('delivery_under_way');
        if (agent.endpointUrl === null) throw new MarketError('endpoint_missing');
        await queueAgain(tx, delivery);
        const queued = await findDelivery(tx, agent.id, delivery_id);
        if (queued === undefined) throw new MarketError('delivery_not_found');
        return { data: await presentOne(tx, queued) };
      });
    },

    async ping({ id }, call) {
      return await call.commit(async (tx) => {
        const agent = await requireAgent(tx, id, call.caller);
        if (agent.endpointUrl === null) throw new MarketError('endpoint_missing');
        const deliveryId = newDeliveryId(clock.realNow());
        const context = { delivery_id: deliveryId };
        await events.append(tx, [{ type: PING_EVENT, subjectId: agent.id, agentId: agent.id, data: { test: true }, context }]);
        return { data: { delivery_id: deliveryId } };
      });
    },

    async settings({ id }, { caller }) {
      return { data: await settingsOf(database.db, await requireAgent(database.db, id, caller)) };
    },

    async configure({ id, extended_retries: on }, call) {
      return await call.commit(async (tx) => {
        const agent = await agents.lock(tx, (await requireAgent(tx, id, call.caller)).id);
        if (agent === undefined) throw new MarketError('agent_not_found');
        await agents.setExtendedRetries(tx, agent, on);
        return { data: await settingsOf(tx, { ...agent, webhookExtendedRetries: on }) };
      });
    },

    async rotateSecret({ id, overlap_hours: overlapHours }, call) {
      return await call.commit(async (tx) => {
        const agent = await agents.lock(tx, (await requireAgent(tx, id, call.caller)).id);
        if (agent === undefined) throw new MarketError('agent_not_found');
        // Only the owner may replace the secret: a leaked key must not.
        if (hasOwner(agent)) await agents.requireGranter(tx, agent, call);
        if (agent.webhookSecretSealed === null) throw new MarketError('endpoint_missing');
        const until = overlapHours === 0 ? null : new Date(clock.now().getTime() + overlapHours * HOUR_MS);
        const secret = await agents.replaceSecret(tx, agent, until);
        return {
          data: { agent_id: agent.id, webhook_secret: secret, previous_secret_until: until === null ? null : toWireTime(until) },
        };
      });
    },
  };
}
