/** The envelope, request ids and idempotency: what every answer has in common. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { envelopeTable } from './spec-tables.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const successes: readonly `${string} /${string}`[] = [
  'GET /api/agents',
  'GET /api/agents/featured',
  'GET /api/models',
  'GET /api/auth/whoami',
  'GET /api/auth/check-username?u=ines',
  'GET /api/profile?wallet=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'DELETE /api/auth/session',
  'GET /sandbox/info',
  'GET /sandbox/clock',
  'GET /healthz',
  'GET /readyz',
];

const failures: readonly { route: `${string} /${string}`; status: number; code: string; raw?: string; type?: string }[] = [
  { route: 'GET /api/agents?limit=none', status: 400, code: 'invalid_input' },
  { route: 'GET /api/agents/me', status: 401, code: 'unauthenticated' },
  { route: 'GET /api/agents/nobody-of-this-name', status: 404, code: 'agent_not_found' },
  { route: 'GET /api/no/such/route', status: 404, code: 'not_found' },
  { route: 'DELETE /api/agents', status: 405, code: 'method_not_allowed' },
  { route: 'POST /api/agents/register', status: 400, code: 'invalid_json', raw: '{"name": ' },
  { route: 'POST /api/agents/register', status: 400, code: 'invalid_input', raw: '[]' },
  { route: 'POST /api/agents/register', status: 400, code: 'invalid_input', raw: '"text"' },
  { route: 'POST /api/agents/register', status: 400, code: 'invalid_encoding', raw: '{"name":"a\\u0000bc"}' },
  { route: 'POST /api/agents/register', status: 400, code: 'invalid_input', raw: '{"__proto__":{"admin":true}}' },
  { route: 'POST /api/agents/register', status: 400, code: 'json_too_deep', raw: '['.repeat(5000) },
  { route: 'POST /api/agents/register', status: 413, code: 'body_too_large', raw: `"${'x'.repeat(300 * 1024)}"` },
  { route: 'POST /api/agents/register', status: 415, code: 'unsupported_media_type', raw: 'name=Ines', type: 'text/plain' },
  { route: 'GET /api/agents/%00', status: 400, code: 'invalid_encoding' },
  { route: 'GET /api/agents/%E0%A4', status: 400, code: 'malformed_request' },
  { route: `GET /api/agents/${'a'.repeat(200)}`, status: 400, code: 'invalid_input' },
];

for (const route of successes) {
  test(`${route} answers 200 in the envelope`, async () => {
    const reply = await call(market.url, route);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assertEnvelope(reply.body, 'success');
    assert.match(reply.headers.get('x-request-id') ?? '', /^\S{8,}$/);
  });
}

for (const { route, status, code, raw, type } of failures) {
  const title = `${route.slice(0, 60)} ${raw?.slice(0, 24) ?? ''} answers ${status} ${code} in the envelope, naming the request`;
  test(title, async () => {
    const options = { ...(raw !== undefined && { raw }), ...(type !== undefined && { headers: { 'content-type': type } }) };
    const reply = await call(market.url, route, options);
    assert.equal(reply.status, status, JSON.stringify(reply.body));
    assert.equal(reply.body['code'], code);
    assertFailure(reply);
  });
}

test('a list carries its total and next cursor beside data', async () => {
  const { body } = await call(market.url, 'GET /api/agents');
  assert.ok(Array.isArray(body['data']));
  assert.equal(typeof body['total'], 'number');
  assert.ok('next_cursor' in body);
});

test('I11: a request id from the caller is returned, unless it could forge a log line', async () => {
  const chosen = await call(market.url, 'GET /api/agents/me', { headers: { 'x-request-id': 'order-42-attempt-1' } });
  assert.equal(chosen.headers.get('x-request-id'), 'order-42-attempt-1');
  assert.equal(chosen.body['request_id'], 'order-42-attempt-1');
  const forged = await call(market.url, 'GET /api/agents/me', { headers: { 'x-request-id': 'a b{"level":50}' } });
  assert.match(forged.headers.get('x-request-id') ?? '', /^req_/);
});

test('a malformed HTTP request is answered in the envelope, with its request id in the header', async () => {
  const answer = await sendBytes('GET / HTTP/1.1\r\nHost: x\r\nbroken header line\r\n\r\n');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1.1 400 /);
  const envelope = JSON.parse(body) as Envelope;
  assertEnvelope(envelope, 'failure');
  assert.match(head, new RegExp(`^x-request-id: ${envelope['request_id']}$`, 'im'));
});

test('the same Idempotency-Key and body replays the first answer; another body is 422', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = agentBody();
  const first = await call(market.url, 'POST /api/agents/register', { headers, body });
  assert.equal(first.status, 201);
  const again = await call(market.url, 'POST /api/agents/register', { headers, body });
  assert.equal(again.status, 201);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await call(market.url, 'POST /api/agents/register', { headers, body: agentBody() });
  assert.deepEqual([other.status, other.body['code']], [422, 'idempotency_key_reused']);
  assertFailure(other);
});

test('ten parallel requests under one Idempotency-Key have one effect', async () => {
  const headers = { 'idempotency-key': 'registration-2' };
  const body = agentBody();
  const replies = await Promise.all(Array.from({ length: 10 }, () => call(market.url, 'POST /api/agents/register', { headers, body })));
  const ids = new Set(replies.filter(({ status }) => status === 201).map((reply) => reply.body['data'].agent_id));
  assert.equal(ids.size, 1);
  for (const reply of replies.filter(({ status }) => status !== 201)) assert.equal(reply.body['code'], 'idempotency_in_flight');
});

test('a refused request leaves its Idempotency-Key unused', async () => {
  const headers = { 'idempotency-key': 'registration-3' };
  const refused = await call(market.url, 'POST /api/agents/register', { headers, body: agentBody({ description: 'short' }) });
  assert.equal(refused.status, 400);
  const mended = await call(market.url, 'POST /api/agents/register', { headers, body: agentBody() });
  assert.equal(mended.status, 201);
});

test('an Idempotency-Key is scoped to its caller: another agent may use the same one', async () => {
  const agents = [await registerAgent(market.url), await registerAgent(market.url)];
  for (const { key } of agents) {
    const headers = { 'idempotency-key': 'edit-1' };
    const reply = await call(market.url, 'PATCH /api/agents/me', { key, headers, body: { ai_models: [`m-${key.slice(-4)}`] } });
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body['data'].ai_models, [`m-${key.slice(-4)}`]);
  }
});

function assertEnvelope(body: Envelope, outcome: 'success' | 'failure'): void {
  assert.equal(body['success'], outcome === 'success');
  for (const { field, type, present } of envelopeTable) {
    if (present !== 'always' && present !== outcome) assert.ok(!(field in body) || field === 'data', `${field} on ${outcome}`);
    else if (field !== 'data') assert.equal(typeof body[field], type, field);
    else assert.notEqual(body['data'], undefined);
  }
}

function assertFailure(reply: Reply): void {
  assertEnvelope(reply.body, 'failure');
  assert.match(reply.body['code'], /^[a-z][a-z0-9_]+$/);
  assert.ok(reply.body['error'].length > 3);
  assert.equal(reply.headers.get('x-request-id'), reply.body['request_id']);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
}

async function sendBytes(text: string): Promise<string> {
  const { hostname, port } = new URL(market.url);
  return await new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
