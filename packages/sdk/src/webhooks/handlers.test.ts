/** Tests the handlers in the real frameworks, over real connections. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import express, { type ErrorRequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { expressWebhook, fastifyWebhook, fetchWebhook, honoWebhook, signWebhook, type WebhookEvent, type WebhookOptions } from './index.ts';

type Host = (t: TestContext, options: WebhookOptions) => Promise<string>;

async function address(t: TestContext, server: Server): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Serves a fetch handler like a worker platform, which turns incoming calls into `Request`s. */
async function serveFetch(t: TestContext, handle: (request: Request) => Promise<Response> | Response): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const response = await handle(new Request(`http://x${incoming.url}`, { method: 'POST', headers, body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  return await address(t, server.listen(0, '127.0.0.1'));
}

const hosts: Record<string, Host> = {
  fetch: (t, options) => serveFetch(t, fetchWebhook(options)),
  hono: (t, options) => {
    const app = new Hono();
    app.post('/hook', honoWebhook(options));
    return serveFetch(t, (request) => app.fetch(request));
  },
  express: (t, options) => {
    const app = express();
    app.post('/hook', expressWebhook(options));
    return address(t, app.listen(0, '127.0.0.1'));
  },
  'express behind express.raw': (t, options) => {
    const app = express();
    app.use(express.raw({ type: '*/*' }));
    app.post('/hook', expressWebhook(options));
    return address(t, app.listen(0, '127.0.0.1'));
  },
  fastify: async (t, options) => {
    const app = fastify();
    // Other routes of the application still parse JSON.
    app.post('/other', async (request) => request.body);
    await app.register(fastifyWebhook({ path: '/hook', ...options }));
    t.after(() => app.close());
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}/hook`;
  },
};

const secret = 'whsec_handlers';
const body = '{"event":"order.message","order_id":"ord_1","data":{"sender_type":"client","sender_name":"Ines","content":"Größe?"}}';
const question = JSON.stringify({
  event: 'workspace.generate',
  order_id: 'ord_1',
  data: {
    request_id: 'del_1700000000000_k3v9x1q7a',
    prompt: 'Bread.',
    brief: 'Lines.',
    service_title: 'Lines',
    previous: [],
    answer_by: null,
  },
});

async function post(url: string, text: string, more: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-market-event': 'order.message',
      'x-market-agent-id': 'ext_1',
      'x-market-delivery-id': 'd-1',
      'x-market-signature': await signWebhook(text, secret),
      ...more,
    },
  });
  const answer = await response.text();
  return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : answer };
}

for (const [name, host] of Object.entries(hosts)) {
  test(`W10: ${name}: a signed webhook call reaches the callback once, any other gets 401 or 400, a failing callback causes a retry`, async (t) => {
    const received: [WebhookEvent, string][] = [];
    const done = new Set<string>();
    const problems: unknown[] = [];
    const url = await host(t, {
      secret: (agentId) => (agentId === 'ext_1' ? secret : 'another'),
      seen: (id) => done.has(id),
      onEvent(event, { id, agentId }) {
        if (id === 'boom') throw new Error('a secret of the house');
        done.add(id);
        received.push([event, agentId]);
      },
      onProblem: (error) => problems.push(error),
    });
    assert.deepEqual(await post(url, body), { status: 200, body: { received: true } });
    assert.deepEqual(await post(url, body), { status: 200, body: { received: true } }, 'a repetition is acknowledged');
    assert.deepEqual(received, [[JSON.parse(body), 'ext_1']]);

    assert.equal((await post(url, `${body} `, { 'x-market-signature': await signWebhook(body, secret) })).status, 401);
    assert.equal((await post(url, body, { 'x-market-agent-id': 'ext_2' })).status, 401);
    assert.equal((await post(url, body, { 'x-market-signature': await signWebhook(body, secret, 1) })).status, 401);
    assert.equal((await post(url, body, { 'x-market-signature': 'x' })).status, 400);
    assert.equal((await post(url, 'no event')).status, 400);
    const asked = await post(url, question, { 'x-market-delivery-id': 'd-2' });
    assert.equal(asked.status, 202, 'the agent delivers the request of a workspace by itself');
    assert.deepEqual(received.pop(), [JSON.parse(question), 'ext_1']);
    assert.equal((await post(url, '{"event":"order.invented","order_id":"","data":{}}')).status, 200);
    const failed = await post(url, body, { 'x-market-delivery-id': 'boom' });
    assert.equal(failed.status, 500);
    assert.doesNotMatch(JSON.stringify(failed.body), /secret of the house/);
    assert.equal(received.length, 1);
    assert.equal(problems.length, 7);
    assert.equal((await post(url, 'x'.repeat(1_100_000)).catch(() => ({ status: 413 }))).status, 413);
  });
}

test('express: a webhook body that was already parsed is an error that names the remedy', async (t) => {
  const app = express();
  let complaint = '';
  app.use(express.json());
  app.post('/hook', expressWebhook({ secret, onEvent: () => assert.fail('it cannot be verified') }));
  const complain: ErrorRequestHandler = (error, _request, response, _next) => {
    complaint = error.message;
    response.status(500).end();
  };
  app.use(complain);
  assert.equal((await post(await address(t, app.listen(0, '127.0.0.1')), body)).status, 500);
  assert.match(complaint, /before express\.json\(\)/);
});
