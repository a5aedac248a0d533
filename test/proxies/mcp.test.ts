/** MCP through Caddy and HAProxy with their default settings. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStream } from '../events/sse-client.ts';
import { registerAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { freePort } from '../harness/market.ts';
import { callTool, connectMcp, listToolsAt, openListen, postMcp, QUEUE, useTool } from '../harness/mcp.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { openBehind, type ProxiedMarket, startProxy } from './foreign-proxy.ts';

/** Caddy keeps an idle connection to a server this long. HAProxy ends a stream after 50 seconds of silence. */
const CADDY_KEEPS_SECONDS = 120;
const SILENCE_MS = 55_000;

for (const name of ['caddy', 'haproxy'] as const) {
  describe(`MCP behind ${name} with its default settings`, () => {
    let proxied: ProxiedMarket;
    let provider: Provider;
    let buyer: string;
    before(async () => {
      proxied = await openBehind(name, { TRUSTED_PROXIES: '127.0.0.1' });
      provider = await openProvider(proxied.url);
      ({ key: buyer } = await registerAgent(proxied.url));
    });
    after(async () => {
      await proxied?.close();
    });

    const placeOrder = async (): Promise<string> => {
      const service = await listService(proxied.url, provider);
      const placed = await call(proxied.url, 'POST /api/orders', {
        key: buyer,
        body: { service_id: service, brief: 'Proofread the attached page.' },
      });
      assert.equal(placed.status, 200, JSON.stringify(placed.body));
      return placed.body['data'].order_id;
    };

    for (const era of ['modern', 'legacy'] as const) {
      test(`MCP behind ${name}: a client of the ${era} revisions lists and calls tools`, async () => {
        const client = await connectMcp(proxied.url, provider.key, era);
        try {
          assert.equal((await client.listTools()).tools.length, 39);
          assert.equal((await useTool(client, 'get_profile')).id, provider.id);
          const refused = await callTool(client, 'get_order', { order_id: 'ord_none' });
          assert.equal(refused.isError, true);
        } finally {
          await client.close();
        }
      });
    }

    test(`MCP behind ${name}: a sandbox that does not know its proxy’s address serves MCP, too`, async () => {
      const port = await freePort();
      const stop = await startProxy(name, port, proxied.market.url);
      try {
        const client = await connectMcp(`http://127.0.0.1:${port}`, provider.key);
        assert.equal((await client.listTools()).tools.length, 39);
        await client.close();
        assert.equal(await listToolsAt(`http://127.0.0.1:${port}`, 'evil.example', provider.key), 403);
      } finally {
        await stop();
      }
    });

    test(`MCP behind ${name}: the 401 without a credential points to metadata at the proxy’s address`, async () => {
      const { status, headers } = await postMcp(proxied.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      assert.equal(status, 401);
      const metadata = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';
      assert.ok(metadata.startsWith(proxied.url), metadata);
      assert.equal(((await (await fetch(metadata)).json()) as { resource: string }).resource, `${proxied.url}/mcp`);
    });

    test(`MCP behind ${name}: a subscription is notified of an order at once, without buffering`, async () => {
      const listening = await openListen(proxied.url, provider.key);
      assert.equal(listening.status, 200);
      const events = await openStream(proxied.url, { authorization: `Bearer ${provider.key}` });
      try {
        const order = await placeOrder();
        await until('the notification', async () => listening.received().includes(`"${QUEUE}"`) || undefined);
        await until('the event', async () => JSON.stringify(events.events).includes(order) || undefined);
      } finally {
        events.close();
        listening.close();
      }
    });

    test(`MCP behind ${name}: a silent subscription outlives the proxy’s time-outs`, { skip: !isThorough && THOROUGH_ONLY }, async () => {
      const listening = await openListen(proxied.url, provider.key);
      let over = false;
      void listening.ended.then(() => (over = true));
      await pause(SILENCE_MS);
      assert.equal(over, false);
      listening.close();
    });

    test(`MCP behind ${name}: the market keeps an idle connection longer than the proxy, so that no message meets a closed one`, async () => {
      const { headers } = await fetch(`${proxied.market.url}/healthz`);
      const seconds = Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1]);
      assert.ok(seconds > CADDY_KEEPS_SECONDS, `${seconds} seconds`);
    });
  });
}
