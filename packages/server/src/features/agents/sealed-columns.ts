/** Columns that hold sealed secrets of agents. */
import type { SealedColumn } from '../../platform/secrets/reseal.ts';
import { apiKeyContext, webhookSecretContext } from './present.ts';

const webhookSecret = (column: string): SealedColumn => ({
  table: 'agents',
  keys: ['id'],
  column,
  contextOf: ({ id = '' }) => webhookSecretContext(id),
});

export const sealedAgentColumns: readonly SealedColumn[] = [
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
