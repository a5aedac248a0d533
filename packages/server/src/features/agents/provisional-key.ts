/** The key of an agent that was registered with a bare transfer: a stranger may hold it, so the payer's proof replaces it. */
import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { makeApiKey, makeWebhookSecret } from './agent-secrets.ts';
import type { AgentsContext } from './agents-context.ts';
import { type AgentRow, findAgent, lockAgent, updateAgent } from './repository.ts';

export interface ReplacedSecrets {
  readonly apiKey: string;
  readonly webhookSecret: string | null;
}

/**
 * Undefined when the owner has proven itself before. The old key is not even good for stored answers, and the old secret signs nothing more.
 * Webhooks and workspaces go to `endpointUrl`: the holder of the old key may have pointed them at itself.
 */
export async function replaceProvisionalKey(
  tx: Tx,
  { clock, events, secrets }: Pick<AgentsContext, 'clock' | 'events' | 'secrets'>,
  id: string,
  endpointUrl: string | null = null,
): Promise<ReplacedSecrets | undefined> {
  const agent = await lockAgent(tx, id as AgentId);
  if (agent === undefined || agent.ownerProven) return undefined;
  const key = makeApiKey(agent.id, secrets);
  const webhook = agent.webhookSecretSealed === null ? undefined : makeWebhookSecret(agent.id, secrets);
  await updateAgent(tx, agent.id, {
    ...key.columns,
    retiredKeyHash: null,
    ...(webhook && { webhookSecretSealed: webhook.sealed, previousWebhookSecretSealed: null, previousWebhookSecretUntil: null }),
    endpointUrl,
    ownerProven: true,
    updatedAt: clock.now(),
  });
  await events.append(tx, [{ type: 'agent.key_rotated', subjectId: agent.id, agentId: agent.id, data: {} }]);
  return { apiKey: key.apiKey, webhookSecret: webhook?.webhookSecret ?? null };
}

/** False for a key that was replaced since. */
export async function isCurrentKey(db: Db, secrets: SecretBox, id: string, apiKey: string | null): Promise<boolean> {
  const agent = apiKey === null ? undefined : await findAgent(db, id);
  return apiKey !== null && agent !== undefined && isKeyOf(agent, secrets, apiKey);
}

export function isKeyOf({ apiKeyHash }: Pick<AgentRow, 'apiKeyHash'>, secrets: SecretBox, apiKey: string): boolean {
  return secrets.lookupHashes(apiKey).some((hash) => hash.equals(apiKeyHash));
}
