/** All client flows through nginx with its default settings. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createMarketClient, MarketApiError } from '@market/sdk';
import { loadClient, type OpenClient } from '../clients/stock-clients.ts';
import { requireWholeHire, type WantedHire } from '../clients/whole-hire.ts';
import { openStream } from '../events/sse-client.ts';
import { png, upload } from '../harness/files.ts';
import { call } from '../harness/http.ts';
import { openMachineBuyer, versionTwo } from '../harness/machine-buyers.ts';
import { readRegistrationOffer, registerWith, requireRegistered } from '../harness/machine-registrations.ts';
import { withChains } from '../harness/market.ts';
import { listService, openBuyer, openProvider, requireSoundBooks } from '../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { openBehind, type ProxiedMarket } from './foreign-proxy.ts';

/** nginx accepts requests up to 1 MiB by default. */
const MIB = 1024 * 1024;

describe('behind nginx with its default settings', () => {
  let proxied: ProxiedMarket;
  let openClient: OpenClient;
  before(async () => {
    proxied = await openBehind('nginx', withChains);
    openClient = await loadClient('official');
  });
  after(async () => {
    await proxied?.close();
  });

  const hires: readonly WantedHire[] = [
    { version: 2, network: 'base-mainnet', entrance: 'GET discover' },
    { version: 2, network: 'solana-mainnet', entrance: 'POST pay' },
    { version: 1, network: 'base-mainnet', entrance: 'POST discover' },
  ];
  for (const wanted of hires) {
    test(`behind nginx a published client hires and pays: version ${wanted.version} on ${wanted.network} by ${wanted.entrance}`, async () => {
      const { market, url } = proxied;
      await requireWholeHire({ market: { ...market, url }, openClient }, wanted);
    });
  }

  test('behind nginx every 402 arrives complete, also one that refuses a payment', async () => {
    const { url } = proxied;
    const provider = await openProvider(url);
    const service = await listService(url, provider, {
      price_usd: '5.00',
      title: 'A title as long as can be. '.repeat(3).slice(0, 80).trim(),
    });
    const brief = { body: { brief: 'A logo for a bakery.' } };
    const asked = [
      await call(url, `GET /api/x402/discover/${service}`),
      await call(url, `GET /api/x402/pay?service_id=${service}`),
      await call(url, `POST /api/x402/pay?service_id=${service}`, brief),
      await call(url, 'POST /api/orders', { body: { service_id: service, ...brief.body } }),
      await call(url, 'POST /api/agents/register?pay=x402', { body: agentBody() }),
      await call(url, 'GET /api/orders?auth=siwx'),
      await call(url, `POST /api/x402/pay?service_id=${service}`, { ...brief, headers: { 'x-payment': `0x${'ab'.repeat(32)}` } }),
    ];
    for (const { status, headers, body } of asked) {
      assert.equal(status, 402, JSON.stringify(body));
      const required = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
      assert.ok(required.resource.url.startsWith(url), 'addresses lead through the proxy');
    }
  });

  test('behind nginx an agent can register by payment', async () => {
    const { market, url } = proxied;
    const buyer = await openMachineBuyer(market, 'base-mainnet');
    const offer = await readRegistrationOffer(market, url, 'base-mainnet');
    const paid = await registerWith(url, versionTwo(offer, await buyer.authorise(offer)), agentBody());
    assert.match((await requireRegistered(paid))['api_key'], /^market_/);
  });

  test('behind nginx a hire by transfer succeeds, and its order is readable', async () => {
    const { market, url } = proxied;
    const service = await listService(url, await openProvider(url), { price_usd: '5.00' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const asked = await call(url, `GET /api/x402/pay?service_id=${service}&chain=base`);
    const reference = await buyer.payer.pay(asked.body['payTo'], BigInt(asked.body['maxAmountRequired']));
    const hired = await call(url, `POST /api/x402/pay?service_id=${service}`, {
      headers: { 'x-payment': reference, ...asHeaders(await signed(buyer)) },
      body: { brief: 'A logo for a bakery.' },
    });
    assert.equal(hired.status, 200, JSON.stringify(hired.body));
    assert.ok(hired.body['data'].status_url.startsWith(url));
    const read = await fetch(hired.body['data'].status_url, { headers: { authorization: `Bearer ${hired.body['data'].read_token}` } });
    assert.equal(read.status, 200);
  });

  test('behind nginx events arrive at once, without buffering', async () => {
    const { url } = proxied;
    const provider = await openProvider(url);
    const stream = await openStream(url, { authorization: `Bearer ${provider.key}` });
    try {
      const before = stream.events.length;
      const service = await listService(url, provider);
      const buyer = await openProvider(url);
      const placed = await call(url, 'POST /api/orders', {
        headers: { authorization: `Bearer ${buyer.key}` },
        body: { service_id: service, brief: 'Proofread the attached page.' },
      });
      assert.equal(placed.status, 200, JSON.stringify(placed.body));
      const isThere = async () => (JSON.stringify(stream.events).includes(placed.body['data'].id) ? true : undefined);
      await until('the event', isThere);
      const { events } = stream;
      assert.ok(events.length > before);
    } finally {
      stream.close();
    }
  });

  test('nginx accepts a file just below 1 MiB and refuses a larger one, which our client reports', async () => {
    const { url } = proxied;
    const provider = await openProvider(url);
    const picture = png(8, 8);
    const padded = (bytes: number) => Buffer.concat([picture, Buffer.alloc(bytes - picture.length)]);
    const taken = await upload(url, provider.key, { content: padded(MIB - 2_000), name: 'below.png', type: 'image/png' });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    const client = createMarketClient({ baseUrl: url, apiKey: provider.key });
    await assert.rejects(client.uploads.upload({ file: new Blob([padded(MIB + 2_000)], { type: 'image/png' }) }), (error) => {
      assert.ok(error instanceof MarketApiError);
      assert.deepEqual([error.status, error.code], [413, 'unexpected_answer']);
      assert.match(error.message, /proxy/);
      return true;
    });
  });

  test('the books are sound after hires behind nginx', async () => {
    await requireSoundBooks(proxied.market);
  });
});
