/** The program refuses to start with a node of another network, but starts without a node that is down. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { type FaultyNode, startFaultyNode } from '../harness/faulty-nodes.ts';
import { call } from '../harness/http.ts';
import { freePort, MASTER_KEY, openMarket, type Settings, type TestMarket, withOwnChains } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { openFamily } from './market-processes.ts';

const log = createLogger({ level: 'silent', pretty: false });
const KEYS = { TREASURY_EVM_KEY: `0x${'1d'.repeat(32)}`, TREASURY_SOLANA_KEY: '1d'.repeat(32) };

let market: TestMarket;
let alt: Settings;
let firstBlock: string;
let node: FaultyNode;
before(async () => {
  market = await openMarket({ ...withOwnChains, JOBS: 'off' });
  const place = placeOf('alt-mainnet');
  node = await startFaultyNode(place.rpcUrl);
  const [, chainId = ''] = place.caip2.split(':');
  alt = { ALT_RPC_URL: node.url, ALT_CHAIN_ID: chainId, ALT_USDC_ADDRESS: place.usdcAddress };
  const asked = await fetch(place.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['0x0', false] }),
  });
  firstBlock = ((await asked.json()) as { result: { hash: string } }).result.hash;
});
after(async () => {
  node?.close();
  await market?.close();
});

function placeOf(network: string) {
  const place = market.localChains?.networks.find((one) => one.network === network);
  assert.ok(place);
  return place;
}

async function open(settings: Settings): Promise<string[]> {
  const environment = { MARKET_PROFILE: 'production', BASE_URL: 'https://market.example', MASTER_KEY, ...KEYS, ...settings };
  const { chains, close } = await openConfiguredChains(readConfig({ environment, terminal: false }), log);
  await close();
  return [...chains.keys()];
}

test('C10: the program does not start with a node of the right chain id and another genesis block', async () => {
  await assert.rejects(open({ BASE_RPC_URL: placeOf('base-mainnet').rpcUrl }), /base-mainnet has another block 0 than the real chain/);
  await assert.rejects(open({ SOLANA_RPC_URL: placeOf('solana-mainnet').rpcUrl }), /serves another network: its genesis is/);
  await assert.rejects(
    open({ ...alt, ALT_FIRST_BLOCK_HASH: `0x${'ab'.repeat(32)}` }),
    /alt-mainnet has another block 0 than the real chain/,
  );
});

test('C10: the program does not start with a node of another chain id, as first or second node', async () => {
  await assert.rejects(open({ ...alt, ALT_RPC_URL: placeOf('base-mainnet').rpcUrl }), /alt-mainnet serves chain 8453/);
  await assert.rejects(open({ ...alt, ALT_RPC_URL_2: placeOf('base-mainnet').rpcUrl }), /alt-mainnet serves chain 8453/);
});

test('C09, C10: the third network starts with its pinned genesis block and a second node', async () => {
  const second = placeOf('alt-mainnet').rpcUrl;
  assert.deepEqual(await open({ ...alt, ALT_FIRST_BLOCK_HASH: firstBlock, ALT_RPC_URL_2: second }), ['alt-mainnet']);
});

test('S04: a node that is down stops neither the service nor the audit', async () => {
  const family = await openFamily({ empty: true });
  const away = { BASE_RPC_URL: `http://127.0.0.1:${await freePort()}`, SOLANA_RPC_URL: placeOf('base-mainnet').rpcUrl };
  try {
    const production = { MARKET_PROFILE: 'production', BASE_URL: 'https://market.example', MASTER_KEY, ...KEYS, ...alt };
    const { url } = await family.start({ ...production, ...away, ALT_FIRST_BLOCK_HASH: firstBlock, JOBS: 'off' });
    const { status, body } = await call(url, 'GET /readyz');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body['data'].missing_networks).sort(), ['base-mainnet', 'solana-mainnet']);
    const audit = runMarketCommand(['audit'], { ...production, ...away, DATABASE_URL: family.databaseUrl, LOG_FORMAT: 'json' });
    assert.equal(await audit.ended, 1, audit.output());
    assert.match(audit.output(), /base-mainnet could not be compared: /);
    assert.doesNotMatch(audit.output(), /alt-mainnet could not be compared|does not hold/);
  } finally {
    await family.close();
  }
});

test('C09: a second node without a first one is an invalid setting', () => {
  const environment = {
    MARKET_PROFILE: 'production',
    BASE_URL: 'https://market.example',
    MASTER_KEY,
    ALT_RPC_URL_2: 'https://alt.example.com',
  };
  assert.throws(() => readConfig({ environment, terminal: false }), /ALT_RPC_URL_2 needs ALT_RPC_URL/);
});
