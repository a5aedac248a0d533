/** The promise of CONTRIBUTING.md: one definition and one handler, and everything else follows. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { MarketError, type NamedOperation, type OperationName, operationList } from '@market/contract';
import { z } from 'zod';
import { defineOperation } from '../packages/contract/src/define-operation.ts';
import { buildDocument } from '../packages/contract/src/openapi/build-openapi.ts';
import type { Call } from '../packages/server/src/access/call.ts';
import { createSpool } from '../packages/server/src/platform/storage/spool.ts';
import { createLogger } from '../packages/server/src/platform/telemetry/logger.ts';
import { createMetrics } from '../packages/server/src/platform/telemetry/metrics.ts';
import { createCallCounter } from '../packages/server/src/surfaces/count-calls.ts';
import { createExecutor, type ExecutorOptions } from '../packages/server/src/surfaces/execute-operation.ts';
import { requireHandlers } from '../packages/server/src/surfaces/require-handlers.ts';
import { createHttpServer } from '../packages/server/src/surfaces/rest/http-server.ts';
import { addOperationRoutes } from '../packages/server/src/surfaces/rest/operation-routes.ts';

const wave: NamedOperation = {
  name: 'agents.wave' as OperationName,
  group: 'agents',
  method: 'wave',
  spec: defineOperation({
    summary: 'Wave to an agent',
    input: { path: z.object({ id: z.string().min(1).max(80) }), body: z.object({ greeting: z.string().min(1).max(80) }) },
    output: { data: z.object({ waved: z.string() }) },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous'] },
    limit: { requests: 7, windowSeconds: 60 },
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/agents/{id}/wave' },
    examples: [{ title: 'Hello', input: { id: 'tallyrook', greeting: 'Hello' }, data: { waved: 'Hello, tallyrook' } }],
  }),
};

const waveHandler = async ({ id, greeting }: { id: string; greeting: string }, _call: Call) => {
  if (id === 'nobody') throw new MarketError('agent_not_found');
  return { data: { waved: `${greeting}, ${id}` } };
};

test('a definition without a handler stops the service at start and is named', () => {
  assert.throws(
    () => requireHandlers([...operationList, wave], { agents: {}, auth: {}, profiles: {}, sandbox: {} }, {}),
    /agents\.register.*agents\.wave/,
  );
  assert.doesNotThrow(() => requireHandlers([wave], { agents: { wave: waveHandler } }, {}));
  const payable: NamedOperation = { ...wave, spec: { ...wave.spec, alsoPaid: { withoutCredentials: true } } };
  assert.throws(() => requireHandlers([payable], { agents: { wave: waveHandler } }, {}), /agents\.wave/);
  assert.doesNotThrow(() => requireHandlers([payable], { agents: { wave: waveHandler } }, { 'agents.wave': waveHandler }));
});

test('a new definition with its handler is routed, validated, rate limited, enveloped and checked', async () => {
  const log = createLogger({ level: 'silent', pretty: false });
  const metrics = createMetrics();
  const trustedOrigins = new Set<string>();
  const http = createHttpServer({ log, metrics, trustedProxies: [], trustedOrigins, production: false });
  const clock = { now: () => new Date(), realNow: () => new Date() };
  // Stubs only the parts that an anonymous read uses; any other use fails.
  const verdict = { allowed: true, limit: 7, remaining: 6, resetsAt: new Date(), alongside: '' };
  const limiter = { hit: async () => verdict, hitAtOnce: () => verdict };
  const parts = {
    calls: createCallCounter({ limiter, clock, metrics, holdsPass: () => false }),
    handlers: { agents: { wave: waveHandler } },
    resolver: { resolve: async () => ({ byCookieOnly: false }) },
    clock,
    guardSubject: async () => undefined,
    checkAnswers: true,
  } as unknown as ExecutorOptions;
  addOperationRoutes(http, {
    operations: [wave],
    executor: createExecutor(parts),
    signIn: { read: () => assert.fail('nobody signs in'), challengeAt: () => undefined },
    log,
    trustedOrigins,
    spool: createSpool(tmpdir()),
  });

  const good = await http.inject({ method: 'POST', url: '/api/agents/tallyrook/wave', payload: { greeting: 'Hello' } });
  assert.deepEqual([good.statusCode, good.json()], [200, { success: true, data: { waved: 'Hello, tallyrook' } }]);
  assert.equal(good.headers['x-ratelimit-limit'], '7');
  const bad = await http.inject({ method: 'POST', url: '/api/agents/tallyrook/wave', payload: { greeting: 5, volume: 'loud' } });
  assert.equal(bad.statusCode, 400);
  assert.match(bad.json().error, /greeting.*volume/);
  const missing = await http.inject({ method: 'POST', url: '/api/agents/nobody/wave', payload: { greeting: 'Hello' } });
  assert.deepEqual([missing.statusCode, missing.json().code], [404, 'agent_not_found']);
  await http.close();
});

test('a new definition is in the OpenAPI document with its route, limit and errors', () => {
  const document = buildDocument({ title: 'Test', baseUrl: 'http://localhost' }, [wave]) as unknown as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
  };
  const described = document.paths['/api/agents/{id}/wave']?.['post'];
  assert.equal(described?.operationId, 'agents.wave');
  assert.deepEqual(
    Object.keys(described?.responses ?? {}).filter((status) => ['200', '400', '404', '429'].includes(status)),
    ['200', '400', '404', '429'],
  );
});
