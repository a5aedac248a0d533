/** Child processes of a server are killed: embedded PostgreSQL and the local chains. They are restarted, or the server ends. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { call } from '../harness/http.ts';
import { MASTER_KEY, openMarket, startServer, withOwnChains } from '../harness/market.ts';
import {
  act,
  deliver,
  listService,
  openBuyer,
  openProvider,
  payOrder,
  placeOrder,
  requireSoundBooks,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { childrenOf } from './child-processes.ts';
import { makeDataFolder } from './data-folder.ts';
import { timeUntil } from './outage-watch.ts';

const CHAINS_PROCESS = 'chains-process.';
const LIMIT_MS = 60_000;
const settings = { LOG_LEVEL: 'warn', MASTER_KEY, RATE_LIMIT_SCALE: '10000', SANDBOX_CHAINS: 'off', DATABASE_POOL_SIZE: '5' };

const isReady = async (url: string) => (await call(url, 'GET /readyz')).status === 200;

/** A part may return before the first look; while it is missing, /readyz must name it. */
async function untilBack(url: string, part: string, isAnother: () => boolean): Promise<void> {
  const named = new Set<string>();
  const back = await timeUntil(LIMIT_MS, async () => {
    const { status, body } = await call(url, 'GET /readyz');
    if (status !== 200) named.add(Object.keys(body['data'] ?? {}).join());
    return status === 200 && isAnother();
  });
  assert.ok(back !== undefined, `${part} did not come back`);
  for (const parts of named) assert.match(parts, new RegExp(part));
}

function postmasterOf(folder: string): number {
  return Number.parseInt(readFileSync(path.join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10);
}

/** The chains' process exists before it answers; until then the answer is 503. */
async function untilAnswering(url: string, wallet: string): Promise<void> {
  const answering = await timeUntil(LIMIT_MS, async () => {
    const { status, body } = await call(url, `GET /sandbox/balance?network=base-mainnet&address=${wallet}`);
    assert.ok(status === 200 || body['code'] === 'chain_unavailable', JSON.stringify(body));
    return status === 200;
  });
  assert.ok(answering !== undefined, 'the chains do not answer');
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeDataFolder();
  try {
    await work(folder.path);
  } finally {
    await folder.remove();
  }
}

suite('a crashed child process of the server', { concurrency: true }, () => {
  test('C17: embedded PostgreSQL is restarted after every kill, and no acknowledged write is lost', async () => {
    await withFolder(async (folder) => {
      const server = await startServer({ ...settings, DATA_DIR: folder });
      try {
        for (let round = 0; round < times(1, 2); round += 1) {
          const { status, body } = await call(server.url, 'POST /api/agents/register', { body: agentBody() });
          assert.equal(status, 201);
          const before = postmasterOf(folder);
          process.kill(before, 'SIGKILL');
          await untilBack(server.url, 'database', () => postmasterOf(folder) !== before);
          assert.notEqual(postmasterOf(folder), before);
          assert.equal((await call(server.url, `GET /api/agents/${body['data'].agent_id}`)).status, 200);
        }
        assert.match(server.log(), /"msg":"PostgreSQL ended; starting it again"/);
        assert.match(server.log(), /"msg":"PostgreSQL is running again"/);
        assert.equal(await server.kill('SIGTERM'), 0);
      } finally {
        await server.kill('SIGKILL');
      }
    });
  });

  test('C17: embedded PostgreSQL that cannot be restarted ends the server with a clear log line and exit code 1', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    await withFolder(async (folder) => {
      const server = await startServer({ ...settings, DATA_DIR: folder });
      const postmaster = postmasterOf(folder);
      renameSync(path.join(folder, 'postgres/data'), path.join(folder, 'postgres/data-moved-away'));
      process.kill(postmaster, 'SIGKILL');
      const ended = new Promise<number | null>((resolve) => server.child.once('exit', resolve));
      assert.equal(await ended, 1, server.log().slice(-2000));
      assert.match(server.log(), /PostgreSQL ended and could not be started again: The database in \S+ is gone/);
    });
  });

  test('C17: the chains process is restarted with every transfer and balance, and the books agree with it', async () => {
    const market = await openMarket(withOwnChains);
    try {
      const { url } = market;
      const provider = await openProvider(url);
      const serviceId = await listService(url, provider);
      const buyer = await openBuyer(market, 'base-mainnet');
      const finished = await placeOrder(url, serviceId, buyer);
      await payOrder(url, finished, buyer);
      const open = await placeOrder(url, serviceId, buyer);
      const reference = await payOrder(url, open, buyer);
      assert.equal((await deliver(url, finished, provider)).status, 200);
      assert.equal((await act(url, finished, buyer, 'approve')).status, 200);
      await untilTransferred(url, finished, buyer, 'payout');
      const addresses = [buyer.address, provider.owner.address];
      const balances = () => Promise.all(addresses.map((address) => usdcOn(url, 'base-mainnet', address)));
      const before = await balances();

      const [chainsPid] = childrenOf(process.pid, CHAINS_PROCESS);
      assert.ok(chainsPid);
      process.kill(chainsPid, 'SIGKILL');
      await untilBack(url, 'chains', () => ![chainsPid, undefined].includes(childrenOf(process.pid, CHAINS_PROCESS)[0]));
      assert.notEqual(childrenOf(process.pid, CHAINS_PROCESS)[0], chainsPid);

      await untilAnswering(url, buyer.address);
      assert.deepEqual(await balances(), before);
      assert.equal((await market.chains.get('base-mainnet')?.readReceipt(reference))?.state, 'landed');
      // Work under way continues: an order paid before the death is paid out after it, and new money moves.
      assert.equal((await deliver(url, open, provider)).status, 200);
      assert.equal((await act(url, open, buyer, 'approve')).status, 200);
      await untilTransferred(url, open, buyer, 'payout');
      await payOrder(url, await placeOrder(url, serviceId, buyer), buyer);
      await requireSoundBooks(market);
    } finally {
      await market.close();
    }
  });

  test('C17: when the server that runs the chains is killed, another server on the same folder takes over', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    await withFolder(async (folder) => {
      const shared = { ...settings, ...withOwnChains, DATA_DIR: folder };
      const owner = await startServer(shared);
      const other = await startServer(shared);
      try {
        assert.equal(childrenOf(owner.child.pid, CHAINS_PROCESS).length, 1);
        const wallet = `0x${'12'.repeat(20)}`;
        const fund = () => call(other.url, 'POST /sandbox/faucet', { body: { network: 'base-mainnet', address: wallet, usdc: '5' } });
        assert.equal((await fund()).status, 200, JSON.stringify((await fund()).body));
        const before = await usdcOn(other.url, 'base-mainnet', wallet);
        await owner.kill('SIGKILL');
        const taken = await timeUntil(
          LIMIT_MS,
          async () => childrenOf(other.child.pid, CHAINS_PROCESS).length === 1 && (await isReady(other.url)),
        );
        assert.ok(taken !== undefined, other.log().slice(-3000));
        await untilAnswering(other.url, wallet);
        assert.equal(await usdcOn(other.url, 'base-mainnet', wallet), before);
        assert.equal((await fund()).status, 200);
      } finally {
        await Promise.all([owner, other].map((server) => server.kill('SIGKILL')));
      }
    });
  });
});
