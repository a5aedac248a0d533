import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../access/call.ts';
import { createLogger } from '../../../platform/telemetry/logger.ts';
import { readTokenPrices } from './token-prices.ts';

test('token prices answer 503 in a deployment without a price source', async () => {
  const read = readTokenPrices({ prices: undefined, log: createLogger({ level: 'silent', pretty: false }) });
  await assert.rejects(read({ mints: ['So11111111111111111111111111111111111111112'] }, {} as Call), { code: 'price_source_missing' });
});
