/** `npm start` serves from a bundle that it makes once, or from the sources: both start the whole sandbox. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { call } from '../harness/http.ts';
import { type ServerProcess, startServer, withOwnChains } from '../harness/market.ts';
import { NPM_START } from '../harness/programs.ts';
import { some } from '../harness/thoroughness.ts';
import { childrenOf } from './child-processes.ts';
import { type DataFolder, listPostgres, makeDataFolder, survivorsOf } from './data-folder.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const ways = [
  { way: 'the bundle', args: [], chains: /\/packages\/server\/dist\/[0-9a-f]{20}\/chains-process\.js/ },
  { way: 'the sources', args: ['--sources'], chains: /\/packages\/sandbox\/src\/chains\/chains-process\.ts/ },
];

test('the tests start what npm start runs', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = NPM_START.map((word) => (path.isAbsolute(word) ? path.relative(ROOT, word) : word));
  assert.ok(scripts.start.endsWith(`exec node_modules/.bin/node ${words.join(' ')}`), scripts.start);
});

for (const { way, args, chains } of some(ways, 1)) {
  suite(`npm start from ${way}`, () => {
    let folder: DataFolder;
    let server: ServerProcess;

    before(async () => {
      folder = await makeDataFolder();
      server = await startServer({ ...withOwnChains, DATA_DIR: folder.path, LOG_LEVEL: 'warn' }, [...NPM_START, ...args]);
    });
    after(async () => {
      await server?.kill('SIGKILL');
      await survivorsOf(listPostgres(folder), 10_000);
      await folder.remove();
    });

    test(`npm start from ${way} answers operations, renders pages and reaches its chains`, async () => {
      const agents = await call(server.url, 'GET /api/agents');
      assert.deepEqual([agents.status, agents.body['data']], [200, []]);
      const page = await fetch(`${server.url}/browse`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<main/);
      const { body } = await call(server.url, 'GET /sandbox/info');
      const [wallet] = body['data'].wallets as { networks: string[]; address: string }[];
      assert.ok(wallet, JSON.stringify(body));
      const balance = await call(server.url, `GET /sandbox/balance?network=${wallet.networks[0]}&address=${wallet.address}`);
      assert.equal(balance.status, 200, JSON.stringify(balance.body));
    });

    test(`npm start from ${way} starts its other programs the same way`, () => {
      const [pid, ...more] = childrenOf(server.child.pid, 'chains-process');
      assert.equal(more.length, 0);
      assert.match(commandOf(pid), chains);
    });
  });
}

function commandOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
