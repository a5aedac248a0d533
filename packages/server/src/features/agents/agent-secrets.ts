/** Makes the secrets of an agent in their stored form: hashed for look-up, and sealed so that they can be returned. */
import type { AgentId } from '@market/contract';
import { newApiKey, newWebhookSecret } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { apiKeyContext, webhookSecretContext } from './present.ts';
import type { AgentRow } from './repository.ts';

export interface StoredKey {
  readonly apiKeyHash: Buffer;
  readonly apiKeySealed: string;
  readonly apiKeyLast4: string;
}

export function makeApiKey(agentId: AgentId, secrets: SecretBox): { apiKey: string; columns: StoredKey } {
  const apiKey = newApiKey();
  const [apiKeyHash] = secrets.lookupHashes(apiKey);
  if (apiKeyHash === undefined) throw new Error('the secret box has no current key');
  return { apiKey, columns: { apiKeyHash, apiKeySealed: secrets.seal(apiKey, apiKeyContext(agentId)), apiKeyLast4: apiKey.slice(-4) } };
}

export function makeWebhookSecret(agentId: AgentId, secrets: SecretBox): { webhookSecret: string; sealed: string } {
  const webhookSecret = newWebhookSecret();
  return { webhookSecret, sealed: secrets.seal(webhookSecret, webhookSecretContext(agentId)) };
}

/** Secrets that sign calls to the agent's endpoint: two during a replacement, none for an agent that never had an endpoint. */
export function openWebhookSecrets(
  agent: Pick<AgentRow, 'id' | 'webhookSecretSealed' | 'previousWebhookSecretSealed' | 'previousWebhookSecretUntil'>,
  secrets: SecretBox,
  now: Date,
): string[] {
  const { webhookSecretSealed, previousWebhookSecretSealed, previousWebhookSecretUntil } = agent;
  const overlaps = previousWebhookSecretUntil !== null && previousWebhookSecretUntil > now;
  return [webhookSecretSealed, overlaps ? previousWebhookSecretSealed : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, webhookSecretContext(agent.id)));
}
