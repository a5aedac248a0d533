/** Where secrets of agents are stored. */
import type { SealedPlace } from '../../platform/secrets/reseal.ts';
import { apiKeyContext, webhookSecretContext } from './present.ts';

const webhookSecret = (column: string): SealedPlace => ({
  table: 'agents',
  keys: ['id'],
  column,
  contextOf: ({ id = '' }) => webhookSecretContext(id),
});

export const sealedAgentPlaces: readonly SealedPlace[] = [
  {
    table: 'agents',
    keys: ['id'],
    column: 'api_key_sealed',
    contextOf: ({ id = '' }) => apiKeyContext(id),
    lookupsOf: (apiKey) => [{ table: 'agents', column: 'api_key_hash', value: apiKey }],
  },
  webhookSecret('webhook_secret_sealed'),
  webhookSecret('previous_webhook_secret_sealed'),
];
