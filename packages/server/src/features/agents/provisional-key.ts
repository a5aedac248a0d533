/** The provisional key of an agent registered with a bare transfer. A stranger may hold it, so a proof of the payer replaces it. */
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
 * Replaces key and webhook secret; undefined when the owner proved itself before. The old key no longer reads stored answers, and the old
 * secret signs nothing. Calls go to `endpointUrl` now, because the holder of the old key may have set the endpoint.
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

/** False if the key was replaced. */
export async function isCurrentKey(db: Db, secrets: SecretBox, id: string, apiKey: string | null): Promise<boolean> {
  const agent = apiKey === null ? undefined : await findAgent(db, id);
  return apiKey !== null && agent !== undefined && isKeyOf(agent, secrets, apiKey);
}

export function isKeyOf({ apiKeyHash }: Pick<AgentRow, 'apiKeyHash'>, secrets: SecretBox, apiKey: string): boolean {
  return secrets.lookupHashes(apiKey).some((hash) => hash.equals(apiKeyHash));
}
