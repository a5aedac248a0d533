/** A process that dies during a launch or an identity mint, beside a living one: never two mints, never two payments. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { base58 } from '@scure/base';
import { openMintKey } from '../../packages/server/src/features/tokens/launches/index.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { fundAddress } from '../agent-wallets/stage.ts';
import { expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { findBroken } from '../money/find-broken.ts';
import { chainOf, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { giveSol, type LaunchAgent, launch, mintSaid, openLaunchAgent, openPictures, type Pictures } from '../tokens/launches/stage.ts';
import { forgetLeases } from './crash-lab.ts';
import { pointsToDieAt } from './crash-points.ts';

const POINTS = [
  'mint.before_queue',
  'mint.before_queue_commit',
  'mint.after_queue',
  'outgoing.before_sign',
  'outgoing.after_sign',
  'outgoing.before_store_commit',
  'outgoing.after_store',
  'outgoing.before_broadcast',
  'outgoing.after_broadcast',
  'outgoing.after_outcome',
  'mint.before_made_commit',
  'outgoing.after_confirm',
];
const SAID_POINTS = ['mint.after_queue', 'outgoing.after_store', 'outgoing.after_broadcast', 'mint.before_made_commit'];
const DEATHS = pointsToDieAt(POINTS, ['outgoing.after_broadcast']);
const SAID_DEATHS = pointsToDieAt(SAID_POINTS, ['outgoing.after_store']);
const SOL = 50_000_000n;
/** More than the cost of one mint, and less than that of two. */
const ONE_MINT = 9_000_000n;

suite('a process that dies at a launch', () => {
  let shared: SharedMoney;
  let pictures: Pictures;
  let healthy: ServerProcess;
  const processes: ServerProcess[] = [];

  const start = async (more: Record<string, string> = {}) => {
    const server = await shared.startServer({ OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'debug', ...more });
    processes.push(server);
    return server;
  };
  const dieAt = async (point: string, work: (url: string) => Promise<unknown>) => {
    const dying = await start({ CRASH_AT: point, JOBS: 'off' });
    const ended = new Promise<unknown>((resolve) => dying.child.once('exit', (_code, signal) => resolve(signal)));
    await work(dying.url).catch(() => undefined);
    assert.equal(await ended, 'SIGKILL', `${point} was not reached: ${dying.log()}`);
    await forgetLeases(shared);
  };
  const open = async () => {
    const agent = await openLaunchAgent(healthy.url, { avatar_url: `${pictures.url}/good.png` });
    await giveSol(shared, agent, SOL);
    return agent;
  };
  const mintsOf = async ({ id }: LaunchAgent) => {
    const { rows } = await shared.database.pool.query<{ mint: string; state: string }>(
      'select mint, state from agent_mints where agent_id = $1 order by created_at',
      [id],
    );
    return rows;
  };
  const requireOneMint = async (agent: LaunchAgent) => {
    const chain = chainOf(shared, 'solana-mainnet');
    const made = (await mintsOf(agent)).filter(({ state }) => state !== 'failed');
    assert.deepEqual(
      made.map(({ state }) => state),
      ['made'],
    );
    assert.ok(await chain.tokens?.readMint(made[0]?.mint ?? ''));
    const paid = SOL - (await chain.readBalances(agent.wallet)).native;
    assert.ok(paid > 0n && paid < ONE_MINT, `paid ${paid}`);
    assert.deepEqual((await findBroken(shared.database)).broken, []);
  };
  const untilToken = (agent: LaunchAgent) =>
    until('the token on record', async () => {
      const token = await expectCall(healthy.url, 200, `GET /api/agents/${agent.id}/token`);
      return token['token_mint'] === null ? undefined : token;
    });

  before(async () => {
    pictures = await openPictures();
    shared = await openSharedMoney({ hosted: true });
    healthy = await start();
  });
  after(async () => {
    await shared.close();
    pictures.close();
  });

  for (const point of DEATHS) {
    test(`after a crash at ${point} of a launch there is one mint, paid once`, async () => {
      const agent = await open();
      await dieAt(point, (url) => launch(url, agent));
      const again = await launch(healthy.url, agent);
      const isFresh = point === 'mint.before_queue' || point === 'mint.before_queue_commit';
      assert.equal(again.status, isFresh ? 200 : 409, JSON.stringify(again.body));
      await untilToken(agent);
      await requireOneMint(agent);
    });
  }

  for (const point of SAID_DEATHS) {
    test(`after a crash at ${point} of an identity mint there is one identity, paid once`, async () => {
      const agent = await open();
      await dieAt(point, (url) => mintSaid(url, agent));
      assert.equal((await mintSaid(healthy.url, agent)).status, 409);
      await until('the identity', async () => ((await mintsOf(agent))[0]?.state === 'made' ? true : undefined));
      await requireOneMint(agent);
    });
  }

  test('R13: launches on two processes at the same moment make one mint', async () => {
    const second = await start();
    const agent = await open();
    const replies = await Promise.all([healthy, second, healthy, second].map(({ url }) => launch(url, agent)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409], JSON.stringify(replies.map(({ body }) => body)));
    await untilToken(agent);
    await requireOneMint(agent);
    await second.kill('SIGTERM');
  });

  test('a launch that the chain refuses and that crashed at mint.before_failed_commit ends once, pays nothing, and may be repeated', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const agent = await open();
    await healthy.kill('SIGTERM');
    await dieAt('mint.after_queue', (url) => launch(url, agent));
    // Coins at the address of the mint prevent its creation.
    const [blocked] = await mintsOf(agent);
    assert.ok(blocked);
    await fundAddress(shared, 'solana-mainnet', blocked.mint, { native: 5_000_000n });
    await shared.database.pool.query(`update jobs set run_at = clock_timestamp() where payload->>'movement_id' is not null`);
    const dying = await shared.startServer({ CRASH_AT: 'mint.before_failed_commit' }).catch(() => undefined);
    if (dying !== undefined) {
      await until('death', async () => (dying.child.signalCode === null ? undefined : true));
      assert.equal(dying.child.signalCode, 'SIGKILL');
    }
    await forgetLeases(shared);
    healthy = await start();
    await until('the end of the launch', async () => ((await mintsOf(agent))[0]?.state === 'failed' ? true : undefined));
    assert.equal((await chainOf(shared, 'solana-mainnet').readBalances(agent.wallet)).native, SOL);
    assert.equal((await expectCall(healthy.url, 200, `GET /api/agents/${agent.id}/token`))['token_launch_attempted'], 0);
    const again = await launch(healthy.url, agent);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    await untilToken(agent);
    await requireOneMint(agent);
  });

  test('no log of any process contains the key of a mint', async () => {
    const secrets = createSecretBox({ current: Buffer.from('a1'.repeat(32), 'hex'), previous: [] });
    const { rows } = await shared.database.pool.query<{ mint: string; sealed_key: string }>('select mint, sealed_key from agent_mints');
    assert.ok(rows.length > DEATHS.length);
    const logs = processes.map((server) => server.log()).join('\n');
    assert.ok(logs.length > 0);
    for (const { mint, sealed_key: sealedKey } of rows) {
      assert.equal(openMintKey(secrets, { mint, sealedKey }).address, mint);
      const hex = secrets.open(sealedKey, `agent_mints/${mint}`);
      for (const form of [
        hex,
        base58.encode(Buffer.from(hex, 'hex')),
        base58.encode(Buffer.concat([Buffer.from(hex, 'hex'), base58.decode(mint)])),
      ])
        assert.ok(!logs.includes(form), mint);
    }
  });
});
