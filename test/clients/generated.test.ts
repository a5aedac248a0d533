/** Clients generated from `/api/openapi.json` by three published generators compile strictly and make real calls. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { some } from '../harness/thoroughness.ts';
import { openValidatingProxy, type ValidatingProxy } from '../openapi/validating-proxy.ts';
import { type GeneratedClients, generateClients, generators } from './generate-clients.ts';
import type { MakeJourney } from './generated/journey.mts';

const CHOSEN = some(generators, 2);

type Program = { readonly makeJourney: MakeJourney };

describe('generated clients', () => {
  let market: TestMarket | undefined;
  let proxy: ValidatingProxy | undefined;
  let clients: GeneratedClients | undefined;
  const opened = () => {
    assert.ok(market && proxy && clients, 'market and clients are there');
    return { market, proxy, clients };
  };
  before(async () => {
    market = await openMarket(withChains);
    proxy = await openValidatingProxy(market.url);
    const served = await (await fetch(`${market.url}/api/openapi.json`)).text();
    // orval writes the service's address into its code.
    clients = await generateClients(served.replaceAll(market.url, proxy.url), CHOSEN);
  });
  after(async () => {
    await clients?.remove();
    await proxy?.close();
    await market?.close();
  });

  test('generated clients compile with --strict: calls, types and validators', async () => {
    assert.equal(await opened().clients.compile(), '');
  });

  for (const generator of CHOSEN) {
    test(`a client by ${generator} makes ten typed calls from registration to a cancelled order, including the 402 and an error`, async () => {
      const { market, proxy, clients } = opened();
      const name = `Maker ${generator.replaceAll(/[^a-z]/g, ' ')}`;
      const before = proxy.calls.length;
      const { makeJourney } = (await clients.load(generator)) as Program;
      const journey = await makeJourney(proxy.url, name);
      assert.deepEqual([proxy.calls.length - before, proxy.violations], [10, []]);
      assert.deepEqual(journey.listedTitles, [`Proofreading by ${name}`]);
      assert.deepEqual([journey.moderation, journey.orderStatus, journey.cancelledStatus], ['ok', 'quoted', 'cancelled']);
      assert.deepEqual([journey.refusal.status, journey.refusal.code], [404, 'agent_not_found']);
      assert.match(journey.refusal.requestId, /^req_/);
      assert.equal(journey.challenge.amount, '5500000');
      assert.equal(journey.challenge.payTo, market.chains.get(journey.challenge.network as NetworkName)?.treasury);
      const { agent } = await expectCall(market.url, 200, `GET /api/agents/${journey.agentId}`);
      assert.equal(agent.name, name);
    });
  }
});
