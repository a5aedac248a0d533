/** Launches and identity mints that fail or come late: 402, 502, 503 and 504 of both; and pictures that were uploaded here. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type FaultyNode, startFaultyNode, troubles } from '../harness/faulty-nodes.ts';
import { png, readFile, upload } from '../harness/files.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { giveSol, type LaunchAgent, launch, mintSaid, openLaunchAgent } from '../tokens/launches/stage.ts';

/** An address that is never downloaded: each of these launches fails earlier or names an upload. */
const face = { avatar_url: 'https://example.com/face.png' };
const outcomeOf = ({ status, body }: Reply) => [status, body['code']];

async function readLog(url: string, { id, key }: LaunchAgent): Promise<Envelope[]> {
  return (await expectCall(url, 200, `GET /api/agents/${id}/wallet/log`, { key })) as Envelope[];
}

async function uploadPicture(url: string, { key }: LaunchAgent, content = png(8, 8)): Promise<string> {
  const { status, body } = await upload(url, key, { content, name: 'face.png' });
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'].url;
}

async function lamportsOf(market: TestMarket, { wallet }: LaunchAgent): Promise<bigint | undefined> {
  return (await market.chains.get('solana-mainnet')?.readBalances(wallet))?.native;
}

suite('launches on a Solana node that fails', () => {
  let market: TestMarket;
  let node: FaultyNode;
  before(async () => {
    market = await openMarket(
      { ...withChains, PAYMENT_WAIT_SECONDS: '1' },
      {
        async reroute(places) {
          node = await startFaultyNode(places.find(({ network }) => network === 'solana-mainnet')?.urls[0] ?? '');
          return places.map((place) => (place.network === 'solana-mainnet' ? { ...place, urls: [node.url] } : place));
        },
      },
    );
  });
  after(async () => {
    await market.close();
    node.close();
  });

  const openFunded = async (): Promise<LaunchAgent> => {
    const agent = await openLaunchAgent(market.url, {});
    await giveSol(market, agent);
    return agent;
  };
  const mintOf = async (agent: LaunchAgent, kind: string): Promise<string> => {
    const { rows } = await market.database.pool.query<{ mint: string }>('select mint from agent_mints where agent_id = $1 and kind = $2', [
      agent.id,
      kind,
    ]);
    assert.equal(rows.length, 1);
    return rows[0]?.mint ?? '';
  };

  test('a launch is 504 while the chain takes no transaction; the same mint is made once it does', async () => {
    const agent = await openFunded();
    const image_url = await uploadPicture(market.url, agent);
    node.spoil(troubles['is down'], ['sendTransaction']);
    const late = await launch(market.url, agent, { symbol: 'LATE', image_url });
    assert.deepEqual([...outcomeOf(late), late.headers.get('retry-after')], [504, 'mint_pending', '10'], JSON.stringify(late.body));
    assert.match(late.body['error'], /never made twice/);
    const mint = await mintOf(agent, 'token_launch');
    assert.deepEqual(outcomeOf(await launch(market.url, agent, { symbol: 'LATE', image_url })), [409, 'token_launch_in_progress']);
    const [entry] = await readLog(market.url, agent);
    assert.deepEqual([entry?.['action'], entry?.['address'], entry?.['movement'].status], ['token_launch', mint, 'pending']);

    node.spoil(undefined);
    const token = await until('the token on record', async () => {
      const shown = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`, { key: agent.key });
      return shown['token_mint'] === null ? undefined : shown;
    });
    assert.equal(token['token_mint'], mint);
    assert.equal(await mintOf(agent, 'token_launch'), mint);
  });

  test('an identity mint is 504 while the chain does not report its outcome; the same identity is made', async () => {
    const agent = await openFunded();
    node.spoil(troubles['answers 503'], ['getSignatureStatuses']);
    const late = await mintSaid(market.url, agent);
    assert.deepEqual([...outcomeOf(late), late.headers.get('retry-after')], [504, 'mint_pending', '10'], JSON.stringify(late.body));
    const mint = await mintOf(agent, 'said_identity');
    assert.deepEqual(outcomeOf(await mintSaid(market.url, agent)), [409, 'said_in_progress']);
    node.spoil(undefined);
    await until('the identity on record', async () => {
      const { agent: shown } = await expectCall(market.url, 200, `GET /api/agents/${agent.id}`);
      return shown.said_wallet === agent.wallet ? true : undefined;
    });
    assert.equal(await mintOf(agent, 'said_identity'), mint);
  });

  test('launch and identity mint are 503 while the key of the wallet cannot be opened', async () => {
    const agent = await openLaunchAgent(market.url, {});
    await market.database.pool.query(`update agent_wallets set sealed_key = 'spoilt' where agent_id = $1 and kind = 'solana'`, [agent.id]);
    for (const reply of [await launch(market.url, agent, { symbol: 'KEY', image_url: face.avatar_url }), await mintSaid(market.url, agent)])
      assert.deepEqual(outcomeOf(reply), [503, 'wallet_key_unreadable'], JSON.stringify(reply.body));
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('an agent’s own upload can be the picture of its launch, public while the agent is shown', async () => {
    const agent = await openFunded();
    const image_url = await uploadPicture(market.url, agent);
    assert.equal((await readFile(image_url)).status, 401, 'until then it is private');
    const granted = `${image_url}?grant=full.1.x`;
    const reply = await launch(market.url, agent, { symbol: 'FACE', image_url: granted });
    assert.ok([200, 504].includes(reply.status), JSON.stringify(reply.body));
    const mint = await mintOf(agent, 'token_launch');
    const document = await until('the metadata', async () => (await call(market.url, `GET /api/tokens/${mint}/metadata.json`)).body);
    assert.equal(document['image'], image_url, 'the plain address');
    const shown = await readFile(image_url);
    assert.deepEqual([shown.status, shown.headers.get('content-type'), shown.bytes], [200, 'image/png', png(8, 8)]);
    assert.equal(shown.headers.get('cross-origin-resource-policy'), 'cross-origin');
    await market.database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [agent.id]);
    assert.equal((await readFile(image_url)).status, 401);
  });

  test('a launch refuses as picture uploads of others, other files, large ones and other addresses of this service', async () => {
    const [agent, stranger] = [await openFunded(), await openFunded()];
    const refused = async (image_url: string, code: string) =>
      assert.deepEqual(outcomeOf(await launch(market.url, agent, { symbol: 'BAD', image_url })), [400, code], image_url);
    await refused(await uploadPicture(market.url, stranger), 'foreign_upload');
    await refused(`${market.url}/files/upl_unknown`, 'foreign_upload');
    const note = await upload(market.url, agent.key, { content: 'no picture', name: 'note.txt' });
    await refused(note.body['data'].url, 'token_image_invalid');
    const large = Buffer.concat([png(8, 8), Buffer.alloc(5 * 1024 * 1024)]);
    await refused(await uploadPicture(market.url, agent, large), 'token_image_invalid');
    await refused(`${market.url}/favicon.svg`, 'token_image_invalid');
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  // This test is last, because the market stops asking a node that failed so often.
  test('launch and identity mint are 402 with nulls while neither balance nor cost can be read, and nothing moves', async () => {
    const agent = await openFunded();
    const image_url = await uploadPicture(market.url, agent);
    node.spoil(troubles['answers 503']);
    const replies = [await launch(market.url, agent, { symbol: 'DARK', image_url }), await mintSaid(market.url, agent)];
    node.spoil(undefined);
    for (const reply of replies) {
      assert.deepEqual(outcomeOf(reply), [402, 'agent_wallet_underfunded'], JSON.stringify(reply.body));
      const { required_sol, cost_sol, balance_sol, deposit_address } = reply.body['data'];
      assert.deepEqual([required_sol, cost_sol, balance_sol, deposit_address], [null, null, null, agent.wallet]);
    }
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('the audit finds nothing wrong with delayed and failed launches', async () => {
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });
});

suite('launches where pump.fun is missing', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ ...withChains, TOKEN_LAUNCHER: 'pump_fun' });
  });
  after(() => market.close());

  test('where pump.fun is missing, a launch is 502 in words, costs nothing and releases the lock; identities are still minted', async () => {
    const agent = await openLaunchAgent(market.url, {});
    await giveSol(market, agent);
    const before = await lamportsOf(market, agent);
    const image_url = await uploadPicture(market.url, agent);
    for (const symbol of ['ONE', 'TWO']) {
      const { status, body } = await launch(market.url, agent, { symbol, image_url });
      assert.deepEqual([status, body['code']], [502, 'mint_failed'], JSON.stringify(body));
      assert.match(body['error'], /^Nothing was made\. pump\.fun is not on this network\./);
    }
    assert.equal(await lamportsOf(market, agent), before);
    const token = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`, { key: agent.key });
    assert.deepEqual([token['token_mint'], token['token_launch_attempted']], [null, 0]);
    const log = await readLog(market.url, agent);
    assert.deepEqual(
      log.map((entry) => [entry['action'], entry['movement'].status]),
      Array(2).fill(['token_launch', 'failed']),
    );
    assert.equal((await readFile(image_url)).status, 401, 'the picture of nothing stays private');
    assert.equal((await mintSaid(market.url, agent)).status, 200);
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  test('with pump.fun the funding record counts the bonding curve, too', async () => {
    const agent = await openLaunchAgent(market.url, {});
    const { requirements } = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
    // The rent of 151 bytes more than a mint without pump.fun needs.
    assert.ok(requirements.launch.cost_sol - requirements.said.cost_sol > 0.0019, JSON.stringify(requirements));
  });
});

for (const [what, settings] of [
  ['without a Solana node', {}],
  ['with agent wallets turned off', { ...withChains, AGENT_WALLETS: 'off' }],
] as const) {
  test(`launch and identity mint are 503 ${what}, before any picture is loaded`, async () => {
    const market = await openMarket(settings);
    try {
      const agent = await openLaunchAgent(market.url, face);
      for (const reply of [await launch(market.url, agent), await mintSaid(market.url, agent)])
        assert.deepEqual(outcomeOf(reply), [503, 'wallets_disabled'], JSON.stringify(reply.body));
      const token = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`, { key: agent.key });
      assert.equal(token['token_launch_attempted'], 0);
    } finally {
      await market.close();
    }
  });
}
