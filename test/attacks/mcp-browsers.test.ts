/** Browsers and redirects: pages of other origins, forged host names, and the redirect of the API host. */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, test } from 'node:test';
import { toolList } from '@market/contract';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { openReceiver } from '../harness/receiver.ts';

const APP = 'app.market.example';
const API = 'api.market.example';

let market: TestMarket;
let agent: TestAgent;
before(async () => {
  market = await openMarket({
    BASE_URL: `https://${API}`,
    APP_URL: `https://${APP}`,
    TRUSTED_PROXIES: '127.0.0.1',
    CORS_ORIGINS: 'https://console.partner.example',
  });
  agent = await registerAgent(market.url);
});
after(() => market.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PROFILE = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'market_get_profile', arguments: {} } };

/** `fetch` can set neither Host nor Origin. */
async function send(headers: Record<string, string>, { path = '/mcp', method = 'POST', body = PROFILE as unknown } = {}): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const base = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${agent.key}`,
    };
    const sent = request(new URL(path, market.url), { method, agent: false, headers: { ...base, ...headers } }, async (response) => {
      const content = Buffer.concat(await response.toArray()).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content });
    });
    sent.once('error', reject).end(method === 'POST' ? JSON.stringify(body) : undefined);
  });
}

test('O15: MCP refuses pages of another origin with 403, whatever they send; our own and listed ones are served', async () => {
  const foreign = ['https://evil.example', 'null', `http://${APP}`, `https://${APP}.evil.example`, `https://${APP}:8443`, 'file://', ''];
  for (const origin of foreign) {
    const { status, body } = await send({ host: APP, origin });
    assert.equal(status, 403, origin);
    assert.ok(!body.includes(agent.id), origin);
  }
  for (const origin of [`https://${APP}`, 'https://console.partner.example'])
    assert.equal((await send({ host: APP, origin })).status, 200, origin);
  assert.equal((await send({ host: APP })).status, 200);
});

test('O15: MCP refuses a forged host name with 403, so that a page cannot rebind a name to us', async () => {
  for (const host of ['evil.example', `${APP}.evil.example`, `${APP}:8443`, '127.0.0.1', 'localhost:3000', '[::1]']) {
    const { status, body } = await send({ host });
    assert.equal(status, 403, host);
    assert.match(body, /Call https:\/\/app\.market\.example\/mcp instead\./);
    assert.equal((await send({ host: APP, 'x-forwarded-host': host })).status, 403, `forwarded ${host}`);
  }
});

test('O15: cookies are no credential for MCP', async () => {
  for (const cookie of ['idp-token=abc', '__Host-market-session=abc', 'market-session=abc']) {
    assert.equal((await send({ host: APP, cookie, authorization: '' })).status, 401, cookie);
  }
});

test('O16, E58: the API host redirects with 308 to exactly the MCP endpoint, whatever the request holds', async () => {
  const paths = ['/mcp', '/mcp/', '/mcp?next=https://evil.example', '/mcp?resource=x#y'];
  for (const path of paths) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status, headers, body } = await send(
        { host: API, origin: 'https://evil.example', 'x-forwarded-proto': 'http' },
        { path, method },
      );
      assert.equal(status, 308, `${method} ${path}`);
      assert.equal(headers.location, `https://${APP}/mcp`);
      assert.equal(body, '');
      assert.ok(!JSON.stringify(headers).includes(agent.key));
    }
  }
  const unsigned = await send({ host: API, authorization: 'Bearer wrong' });
  assert.equal(unsigned.status, 308, 'nothing of the credential is looked at');
});

test('O09: an MCP tool call makes no outgoing request, so it cannot leak a key', async () => {
  const receiver = await openReceiver();
  const outgoing: string[] = [];
  const hear = (message: unknown): void => {
    const { request: made } = message as { request: { origin?: unknown; path?: string; host?: string } };
    if (made.path !== '/mcp') outgoing.push(`${made.origin ?? made.host}${made.path}`);
  };
  const channels = [channel('undici:request:create'), channel('http.client.request.start')];
  for (const one of channels) one.subscribe(hear);
  try {
    const forged = new URL(receiver.url).host;
    for (const { name } of toolList) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
      for (const headers of [{ host: forged }, { host: APP, 'x-forwarded-host': forged }, { host: APP, forwarded: `host=${forged}` }]) {
        assert.ok((await send(headers as Record<string, string>, { body })).status < 500, name);
      }
    }
    assert.deepEqual(outgoing, []);
    assert.equal(receiver.received.length, 0);
  } finally {
    for (const one of channels) one.unsubscribe(hear);
    await receiver.close();
  }
});
