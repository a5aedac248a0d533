/** Agent functions that webhooks need. The composition root wires them: webhooks import no other feature. */
import type { AgentId } from '@market/contract';
import { requireGranter } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { makeWebhookSecret } from './agent-secrets.ts';
import { webhookSecretContext } from './present.ts';
import { type AgentRow, findAgent, lockAgent, updateAgent } from './repository.ts';

interface WebhookAgentsContext {
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly events: EventLog;
}

export function agentsForWebhooks({ secrets, clock, events }: WebhookAgentsContext) {
  return {
    find: async (db: Db, idOrSlug: string) => await findAgent(db, idOrSlug),
    lock: async (tx: Tx, id: AgentId) => await lockAgent(tx, id),
    requireGranter: async (tx: Tx, agent: AgentRow, call: Call) => await requireGranter(tx, call, agent),
    openSecret: (agentId: string, sealed: string) => secrets.open(sealed, webhookSecretContext(agentId)),

    /** Replaces the webhook secret. The previous one signs until `previousUntil`; null ends it at once. */
    async replaceSecret(tx: Tx, agent: AgentRow, previousUntil: Date | null): Promise<string> {
      const { webhookSecret, sealed } = makeWebhookSecret(agent.id, secrets);
      await updateAgent(tx, agent.id, {
        webhookSecretSealed: sealed,
        previousWebhookSecretSealed: previousUntil === null ? null : agent.webhookSecretSealed,
        previousWebhookSecretUntil: previousUntil,
        updatedAt: clock.now(),
      });
      await events.append(tx, [{ type: 'agent.webhook_secret_rotated', subjectId: agent.id, data: {} }]);
      return webhookSecret;
    },

    async setExtendedRetries(tx: Tx, agent: AgentRow, on: boolean): Promise<void> {
      if (agent.webhookExtendedRetries === on) return;
      await updateAgent(tx, agent.id, { webhookExtendedRetries: on, updatedAt: clock.now() });
      await events.append(tx, [{ type: 'agent.updated', subjectId: agent.id, data: { fields: ['extended_retries'] } }]);
    },
  };
}
