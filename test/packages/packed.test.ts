/** Contract, SDK and CLI as a user gets them: packed, installed in a clean folder, run by the machine's own Node. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { networkFacts } from '@market/contract';
import { packedManifest, type RootManifest, type WorkspaceManifest } from '../../scripts/packing/packed-manifest.ts';
import { allowPayer } from '../harness/agents.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { openBuyer, openProvider } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { closeStdio, openStdio } from '../mcp/stdio-client.ts';
import { type CleanFolder, installPacked } from './install-packed.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..', '..');
const NAMES = ['contract', 'sdk', 'cli'] as const;
let clean: CleanFolder;
let market: TestMarket;

async function runInstalled(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const program = path.join(clean.folder, 'node_modules', '.bin', 'market');
  const child = spawn(clean.node, [program, ...args], { cwd: clean.folder, env: { PATH: process.env['PATH'], MARKET_URL: market.url } });
  child.stdin.end();
  const code = new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? -1)));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

async function readManifest(...place: string[]): Promise<WorkspaceManifest & RootManifest> {
  return JSON.parse(await readFile(path.join(...place, 'package.json'), 'utf8'));
}

function requireLean(manifest: Record<string, unknown>): void {
  assert.deepEqual(
    [manifest['type'], manifest['sideEffects'], manifest['engines'], manifest['private'], manifest['license']],
    ['module', false, { node: '>=20' }, undefined, 'UNLICENSED'],
  );
  for (const [dependency, version] of Object.entries((manifest['dependencies'] ?? {}) as Record<string, string>)) {
    assert.match(dependency, /^(?:zod|@market\/(?:contract|sdk)|@modelcontextprotocol\/server)$/);
    assert.match(version, /^\d+\.\d+\.\d+$/);
  }
}

test('the manifests to pack name only zod and the MCP server package, each other by exact version, and Node 20', async () => {
  const root = await readManifest(ROOT);
  for (const name of NAMES) requireLean({ ...packedManifest(await readManifest(ROOT, 'packages', name), root) });
});

describe('the packed packages', { skip: !isThorough && THOROUGH_ONLY }, () => {
  before(async () => {
    [clean, market] = await Promise.all([installPacked(), openMarket(withChains)]);
  });
  after(async () => {
    await closeStdio();
    await Promise.all([clean.remove(), market.close()]);
  });

  test('the packed packages have JavaScript with types inside: no TypeScript sources, no tests, no server', async () => {
    for (const tarball of clean.tarballs) {
      const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: 10_000_000 });
      const files = stdout.trim().split('\n');
      const strange = files.filter(
        (file) => !/^package\/(?:package\.json|README\.md|dist\/.+\.(?:js|d\.ts))$/.test(file) || /\.test\.|server\//.test(file),
      );
      assert.deepEqual(strange, []);
      for (const program of files.filter((file) => file.endsWith('.js')))
        assert.ok(files.includes(program.replace(/\.js$/, '.d.ts')), program);
    }
  });

  test('the packed packages need only zod and the MCP server package, each other by exact version, and Node 20', async () => {
    for (const name of NAMES) requireLean({ ...(await readManifest(clean.folder, 'node_modules', '@market', name)) });
  });

  test('the packed packages give a user’s TypeScript their types, and refuse a wrong argument', async () => {
    await writeFile(
      path.join(clean.folder, 'use.ts'),
      `import { operationList } from '@market/contract';
import { createMarketClient, type WalletSigner } from '@market/sdk';
import { expressWebhook, verifyWebhook } from '@market/sdk/webhooks';
const market = createMarketClient({ baseUrl: 'http://localhost', apiKey: 'market_key' });
const { data } = await market.orders.get({ id: 'ord' });
export const status: string = data.order.status;
// @ts-expect-error: there is no such argument.
await market.orders.get({ nope: 1 });
// @ts-expect-error: an answer has no such field.
export const wrong = data.order.nope;
export { expressWebhook, operationList, verifyWebhook, type WalletSigner };
`,
    );
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules', '@types')],
    };
    await writeFile(path.join(clean.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const args = ['-p', clean.folder, '--checkers', '1'];
    const { stdout } = await run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), args).catch((error: { stdout: string }) => error);
    assert.equal(stdout, '');
  });

  test('the packed SDK carries a whole hire between two agents', async () => {
    const buyer = await openBuyer(market, 'base-mainnet');
    const [client, provider] = await Promise.all([openProvider(market.url, 'base-mainnet', buyer), openProvider(market.url)]);
    assert.equal((await allowPayer(market.url, buyer, client.id)).status, 200);
    await copyFile(path.join(import.meta.dirname, 'stranger-hire.mjs'), path.join(clean.folder, 'hire.mjs'));
    const env = { PATH: process.env['PATH'], MARKET_URL: market.url, SELLER_KEY: provider.key, BUYER_KEY: client.key };
    const child = spawn(clean.node, ['hire.mjs'], { cwd: clean.folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const options = JSON.parse((await lines.next()).value ?? '[]') as { network: string; pay_to: string; amount_micros: string }[];
    const option = options.find(({ network }) => network === 'base-mainnet');
    assert.ok(option);
    const reference = await buyer.payer.pay(option.pay_to, BigInt(option.amount_micros));
    child.stdin.end(`${reference} ${networkFacts['base-mainnet'].chain}\n`);
    const { status, refused } = JSON.parse((await lines.next()).value ?? '{}');
    assert.deepEqual([status, refused], ['completed', 'order_not_found']);
  });

  test('the packed CLI calls operations, and corrects a typing slip', async () => {
    const { data: listed } = JSON.parse((await runInstalled(['agents', 'list', '--limit', '1', '--full'])).out);
    assert.ok(Array.isArray(listed));
    assert.deepEqual(await runInstalled(['agnts']), { code: 2, out: '', err: 'There is no "agnts". Did you mean "agents"?\n' });
  });

  test('the packed `market mcp` serves the tools to the official client, and registers an agent', async () => {
    // The machine's Node comes first in PATH, as in a user's shell.
    const env = { PATH: [path.dirname(clean.node), process.env['PATH']].join(path.delimiter), HOME: process.env['HOME'] ?? clean.folder };
    const program = { command: 'npx', args: ['--no-install', 'market', 'mcp'], cwd: clean.folder, env };
    const agent = await openStdio(market.url, { program });
    const { tools } = await agent.client.listTools();
    assert.equal(tools.length, 39);
    const body = agentBody();
    await agent.call('market_register_agent', body);
    assert.equal((await agent.call('market_get_profile')).name, body.name);
    assert.ok((await agent.call('market_browse_agents', { limit: 5 })).length > 0);
    await agent.close();
  });

  test('the packed CLI says where commands of a deployment are', async () => {
    const { code, err } = await runInstalled(['audit']);
    assert.equal(code, 1);
    assert.match(err, /this package has no server\. Run it in a checkout of the service: npm run market -- audit/);
  });
});
