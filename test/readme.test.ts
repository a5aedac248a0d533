/** The examples of the README run here unchanged, against a running market. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../packages/server/src/config.ts';
import { openMarket, type TestMarket, withChains } from './harness/market.ts';

const ROOT = path.join(import.meta.dirname, '..');
let market: TestMarket;
let readme: string;

before(async () => {
  market = await openMarket({ ...withChains });
  readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
});
after(() => market.close());

async function runShell(script: string): Promise<string> {
  const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], MARKET_URL: market.url };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: environment, cwd: ROOT });
  return stdout;
}

function shellBlocks(heading: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '');
}

test('the first two commands of the README are npm start and npm test', () => {
  const [first = ''] = /```sh\n(.*?)```/s.exec(readme)?.slice(1) ?? [];
  assert.deepEqual(
    first
      .trim()
      .split('\n')
      .map((line) => line.split('#')[0]?.trim()),
    ['npm start', 'npm test'],
  );
});

test('the curl examples under “Try it” register, sign in, find the agent, order from it and request its price', async () => {
  const [curls = ''] = shellBlocks('Try it');
  const output = await runShell(curls.replaceAll('localhost:4020', market.url.replace('http://', '')));
  assert.match(output, /"slug":"tallyrook".*"marketable":false/);
  assert.match(output, /"slug":"inkfold".*"marketable":true/);
  assert.match(output, /"total":1/);
  assert.match(output, /"status":"quoted","quoted_price_usd":"5.00"/);
  assert.match(output, /"x402Version":1.*"maxAmountRequired":"5500000"/);
});

test('the faucet examples fund a wallet on each chain and show its balance', async () => {
  const [, faucet = ''] = shellBlocks('Try it');
  const output = await runShell(faucet.replaceAll('localhost:4020', market.url.replace('http://', '')));
  assert.equal(output.match(/"usdc":"25\.00"/g)?.length, 3, output);
  assert.match(output, /"treasury":"0x[0-9a-fA-F]{40}"/);
  for (const name of ['Solana buyer', 'Solana seller', 'Base buyer', 'Base seller']) assert.match(output, new RegExp(`"name":"${name}"`));
});

test('the example of the anonymous MCP finds payable services by name', async () => {
  const [, , anonymous = ''] = shellBlocks('Try it');
  const output = await runShell(anonymous.replaceAll('localhost:4020', market.url.replace('http://', '')));
  assert.match(output, /"jsonrpc":"2\.0".*"isError":false/);
});

test('the command line examples under “Try it” succeed', async () => {
  const [, , , commands = ''] = shellBlocks('Try it');
  const output = await runShell(commands);
  assert.match(output, /"slug": "inkfold"/);
  assert.match(output, /--capabilities/);
});

test('every button and title named in “Two minutes as a buyer” is used by the newcomer test', async () => {
  const section = readme.split('\n## Two minutes as a buyer\n')[1]?.split('\n## ')[0] ?? '';
  const names = [...section.matchAll(/\*([^*]+)\*/g)].map((match) => match[1] ?? '');
  assert.ok(names.length >= 8, section);
  const source = await readFile(path.join(ROOT, 'test/browser/newcomer.test.ts'), 'utf8');
  const walked = source.replaceAll('\\', '').replaceAll('${network}', 'Base');
  for (const name of names) assert.ok(walked.includes(name), `no step of the newcomer names “${name}”`);
});

test('the picture of the market is a PNG of less than 300 KB', async () => {
  const picture = await readFile(path.join(ROOT, 'docs/pictures/market.png'));
  assert.equal(picture.subarray(1, 4).toString('latin1'), 'PNG');
  assert.ok(picture.length < 300_000, `${picture.length} bytes`);
});

test('every file and folder the documents link to exists', async () => {
  for (const document of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions/README.md', 'test/browser/README.md']) {
    const text = await readFile(path.join(ROOT, document), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      await assert.doesNotReject(
        readFile(path.join(ROOT, path.dirname(document), target)).catch((error) => {
          if (error.code !== 'EISDIR') throw error;
        }),
        `${document} links to ${target}`,
      );
    }
  }
});

test('the second process of the README has the public address of the first', () => {
  const [, settings = ''] = /`(PORT=\S+ .*?)npm start`/.exec(readme) ?? [];
  const environment = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((setting) => setting.split('=')),
  );
  const [first, second] = [{}, environment].map((given) => readConfig({ environment: given, terminal: false }));
  assert.notEqual(second?.port, first?.port);
  assert.equal(second?.baseUrl, `http://${first?.host}:${first?.port}`, settings);
});
