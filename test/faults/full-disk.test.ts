/** A really full disk: uploads and PostgreSQL on small file systems. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent } from '../harness/agents.ts';
import { pdf, upload } from '../harness/files.ts';
import { call, type Reply } from '../harness/http.ts';
import { MASTER_KEY, openMarket, startServer } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { timeUntil } from './outage-watch.ts';
import { mountSmallDisk, reasonAgainstSmallDisks } from './small-disk.ts';

const reason = reasonAgainstSmallDisks();
if (reason !== undefined) process.stdout.write(`No test with a full disk: ${reason}.\n`);
const skip = { skip: reason ?? false };

const unreadyParts = async (url: string): Promise<string[]> => Object.keys((await call(url, 'GET /readyz')).body['data'] ?? {});
const isReady = async (url: string) => (await call(url, 'GET /readyz')).status === 200;

suite('a full disk', { concurrency: true }, () => {
  test('C17: an upload answers 507 and leaves nothing, readiness fails, and everything recovers with free space', skip, async () => {
    const disk = await mountSmallDisk(6);
    const market = await openMarket({ DATA_DIR: disk.path });
    try {
      const { key } = await registerAgent(market.url);
      const file = { content: pdf, name: 'report.pdf', type: 'application/pdf' };
      assert.equal((await upload(market.url, key, file)).status, 200);
      disk.fill();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const reply = await upload(market.url, key, file);
        assert.deepEqual([reply.status, reply.body['code']], [507, 'storage_full'], JSON.stringify(reply.body));
        assert.deepEqual(faultsOfRefusal(reply), []);
      }
      await sleep(600);
      assert.deepEqual(await unreadyParts(market.url), ['disk']);
      // Requests that need no space of ours still work.
      assert.equal((await call(market.url, 'GET /api/agents')).status, 200);
      disk.free();
      assert.ok((await timeUntil(20_000, () => isReady(market.url))) !== undefined, 'not ready although there is space again');
      assert.equal((await upload(market.url, key, file)).status, 200);
      const { rows } = await market.database.pool.query(`select count(*)::int as count from uploads where state = 'ready'`);
      assert.equal(rows[0].count, 2);
    } finally {
      await market.close();
      await disk.remove();
    }
  });

  test('C17: without space for PostgreSQL, writes answer 503, readiness fails, and everything recovers with free space', skip, async () => {
    const disk = await mountSmallDisk(220);
    const settings = { LOG_LEVEL: 'warn', MASTER_KEY, RATE_LIMIT_SCALE: '10000', SANDBOX_CHAINS: 'off', DATABASE_POOL_SIZE: '5' };
    const server = await startServer({ ...settings, DATA_DIR: disk.path });
    try {
      const acknowledged: string[] = [];
      const register = async (): Promise<Reply> => {
        const reply = await call(server.url, 'POST /api/agents/register', { body: agentBody() });
        if (reply.status === 201) acknowledged.push(reply.body['data'].agent_id);
        return reply;
      };
      assert.equal((await register()).status, 201);
      disk.fill();
      const refused = await timeUntil(60_000, async () => {
        const reply = await register();
        assert.ok([201, 503].includes(reply.status), JSON.stringify(reply.body));
        return reply.status === 503;
      });
      assert.ok(refused !== undefined, 'PostgreSQL went on writing: the disk was not full');
      assert.ok((await unreadyParts(server.url)).includes('disk'));
      // Long enough for PostgreSQL to give up and fail to restart.
      for (const endsAt = performance.now() + 4_000; performance.now() < endsAt; await sleep(100)) {
        assert.ok([201, 503].includes((await register()).status));
        assert.equal((await call(server.url, 'GET /readyz')).status, 503);
      }
      disk.free();
      assert.ok((await timeUntil(60_000, () => isReady(server.url))) !== undefined, `not back:\n${server.log().slice(-4000)}`);
      assert.equal((await register()).status, 201);
      for (const id of acknowledged) assert.equal((await call(server.url, `GET /api/agents/${id}`)).status, 200, id);
      assert.equal(server.child.exitCode, null);
    } finally {
      await server.kill('SIGKILL');
      // PostgreSQL ends with its last user.
      await sleep(1_000);
      await disk.remove();
    }
  });
});
