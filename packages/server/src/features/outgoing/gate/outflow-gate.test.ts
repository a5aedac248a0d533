import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../platform/db/database.ts';
import { createLogger } from '../../../platform/telemetry/logger.ts';
import { createOutflowGate, startComparing } from './outflow-gate.ts';

test('C17: a database that is away when the gate starts comparing is logged and does not end the process', async () => {
  const database = openDatabase({
    connection: { connectionString: 'postgresql://127.0.0.1:1/none' },
    poolSize: 1,
    onError: () => undefined,
  });
  const { promise: warning, resolve: write } = Promise.withResolvers<string>();
  // An unhandled rejection fails this test.
  const log = createLogger({ level: 'warn', pretty: false }, { write });
  startComparing(createOutflowGate({ database, log, standing: () => [] }), log);
  assert.match(await warning, /ECONNREFUSED.*could not be compared at the start/);
  await database.close();
});
