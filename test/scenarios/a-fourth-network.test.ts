/**
 * Story: a developer adds an EVM network by one record in the contract's table and its settings; nothing else changes.
 * The record is added to the source as it is loaded, so that every schema, setting and look-up is made from four records.
 */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import type { TestMarket } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';

const NEW = 'fourth-mainnet' as NetworkName;
const CAIP2 = 'eip155:845311454';

const RECORD = `
  '${NEW}': {
    kind: 'evm',
    chain: 'fourth',
    label: 'Fourth',
    caip2: '${CAIP2}',
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    genesisHash: null,
    x402v1Name: 'fourth-network',
    aliases: ['fourth-beta'],
    paymentMethod: 'usdc-fourth',
    payoutChain: null,
    coin: { name: 'Fourthcoin', symbol: 'FRT', decimals: 18 },
    finality: { confirmations: 2, finalTag: 'safe' },
    explorer: 'https://fourth.example.com',
    publicRpcUrl: null,
    setting: 'FOURTH',
    local: { caip2: '${CAIP2}', port: 8547 },
  },
`;
const END_OF_TABLE = '} as const satisfies Readonly<Record<string, NetworkRecord>>;';

const hooks = registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/packages/contract/src/kernel/networks.ts')) return loaded;
    const source = String(loaded.source);
    assert.equal(source.split(END_OF_TABLE).length, 2, 'the table of networks ends once');
    return { ...loaded, source: source.replace(END_OF_TABLE, `${RECORD}${END_OF_TABLE}`) };
  },
});

const { networkNames } = await import('@market/contract');
const { readConfig } = await import('../../packages/server/src/config.ts');
const { mainnetEndpoints } = await import('../../packages/server/src/platform/chains/network-endpoints.ts');
const { explorerUrl } = await import('../../packages/server/src/platform/chains/explorer-url.ts');

after(() => hooks.deregister());

describe('a fourth network, added by one record and settings', { skip: !isThorough && THOROUGH_ONLY }, () => {
  let market: TestMarket;
  let call: typeof import('../harness/http.ts').call;
  let orders: typeof import('../harness/orders.ts');
  let machines: typeof import('../harness/machine-buyers.ts');
  before(async () => {
    ({ call } = await import('../harness/http.ts'));
    orders = await import('../harness/orders.ts');
    machines = await import('../harness/machine-buyers.ts');
    const { openMarket, withOwnChains } = await import('../harness/market.ts');
    market = await openMarket({ ...withOwnChains, SANDBOX_FOURTH_PORT: '0' });
  });
  after(async () => {
    await market?.close();
  });

  test('a fourth network is offered to payers, with its own coin and confirmations', async () => {
    const { body } = await call(market.url, 'GET /api/payments/networks');
    const listed = body['data'].find(({ network }: { network: string }) => network === NEW);
    assert.deepEqual(
      [listed.kind, listed.caip2, listed.chain_id, listed.native_symbol, listed.confirmations],
      ['evm', CAIP2, 845_311_454, 'FRT', 2],
    );
    const { body: api } = await call(market.url, 'GET /api/openapi.json');
    assert.ok(JSON.stringify(api).includes(NEW), 'the OpenAPI document names it');
  });

  test('a fourth network settles and pays out an order that was paid by a transfer on it', async () => {
    const { url } = market;
    const provider = await orders.openProvider(url, NEW);
    const buyer = await orders.openBuyer(market, NEW, 25_000_000n);
    const order = await orders.placeOrder(url, await orders.listService(url, provider), buyer, { payment_chain: 'fourth' });
    await orders.payOrder(url, order, buyer);
    assert.equal(await orders.usdcOn(url, NEW, buyer.address), '15.00');
    assert.equal((await orders.readOrder(url, order, buyer)).order.payment_method, 'usdc-fourth');

    assert.equal((await orders.deliver(url, order, provider)).status, 200);
    const approved = await orders.act(url, order, buyer, 'approve');
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const money = await orders.untilTransferred(url, order, buyer, 'payout');
    assert.deepEqual([money.payout.network, money.payout.destination], [NEW, provider.owner.address]);
    assert.equal(await orders.usdcOn(url, NEW, provider.owner.address), '9.00');
  });

  for (const version of [1, 2] as const) {
    test(`a fourth network takes a machine’s hire with a standard payment of version ${version}`, async () => {
      const { url } = market;
      const provider = await orders.openProvider(url, NEW);
      const service = await orders.listService(url, provider, { price_usd: '1.00' });
      const buyer = await machines.openMachineBuyer(market, NEW);
      const offer = await machines.readOffer(market, url, service, NEW);
      const payload = await buyer.authorise(offer);
      const headers = version === 1 ? machines.versionOne(NEW, payload) : machines.versionTwo(offer, payload);
      const hired = await machines.requireHired(machines.hireWith(url, service, headers));
      const { order } = await orders.readOrder(url, hired.orderId, buyer);
      assert.deepEqual([order.payment_network, order.payment_chain, order.escrow_tx_hash], [NEW, 'fourth', hired.reference]);
      await orders.untilTransferred(url, hired.orderId, buyer, 'payout');
      assert.equal(await orders.usdcOn(url, NEW, provider.owner.address), '1.00');
    });
  }

  test('a fourth network takes a bare hash when the request names it by chain, name, alias or CAIP-2', async () => {
    const { url } = market;
    const provider = await orders.openProvider(url, NEW);
    const service = await orders.listService(url, provider, { price_usd: '1.00' });
    for (const name of ['fourth', NEW, 'fourth-beta', CAIP2]) {
      const buyer = await machines.openMachineBuyer(market, NEW);
      const reference = await buyer.payer.pay(buyer.payer.chain.treasury, machines.CHARGED_MICROS);
      await machines.requireHired(machines.hireWith(url, service, { 'x-payment': reference, 'x-payment-network': name }));
    }
  });

  test('the books are sound after hires on a fourth network', async () => {
    await orders.requireSoundBooks(market);
  });
});

test('a fourth network is configured in production by its settings and its record', () => {
  assert.equal(networkNames.at(-1), NEW, 'the record was added before anything read the table');
  const environment = { FOURTH_RPC_URL: 'https://fourth.example.com/rpc', FOURTH_RPC_URL_2: 'https://other.example.com/rpc' };
  const secrets = { MASTER_KEY: 'a1'.repeat(32), BASE_URL: 'https://market.example.com', TREASURY_EVM_KEY: 'file:/dev/null' };
  assert.throws(() => readConfig({ environment: { ...environment, ...secrets, TREASURY_EVM_KEY: '' }, terminal: false }), /FOURTH_RPC_URL/);
  const endpoints = mainnetEndpoints(readConfig({ environment: { ...environment, ...secrets }, terminal: false }));
  assert.deepEqual(
    endpoints.map(({ network, caip2, urls, secondUrl }) => [network, caip2, urls, secondUrl]),
    [[NEW, CAIP2, ['https://fourth.example.com/rpc'], 'https://other.example.com/rpc']],
  );
  assert.equal(explorerUrl(NEW, '0xab'), 'https://fourth.example.com/tx/0xab');
});
