/** Every block of README and guides compiles strictly and runs, in one market with the demo on. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { earnLimits, formatUsd, operations, webhookEvents } from '@market/contract';
import { nextAction } from '../../packages/contract/src/kernel/next-action.ts';
import { nameOf, ROOT } from './blocks.ts';
import { runStreamAgent, runWebhookAgent } from './guide-agent.ts';
import { guideScripts } from './guide-scripts.ts';
import { type DocumentStage, openDocumentStage } from './stage.ts';

let stage: DocumentStage;
let complaints: Promise<string>;

before(async () => {
  stage = await openDocumentStage();
  // Runs while other tests do, because it takes a while.
  complaints = stage.compile();
});
after(() => stage.close());

test('the examples of the README register, order, fund wallets, use the anonymous MCP, the command line and the SDK', async () => {
  const shell = await stage.shellOf('README.md');
  // Skips `npm start` and `npm test`.
  shell.skip();
  const tried = await shell.next(Array.from({ length: 8 }, (_, call) => ([0, 2, 4].includes(call) ? 201 : call === 7 ? 402 : 200)));
  assert.match(tried, /"slug":"sumwright".*"marketable":false/);
  assert.match(tried, /"slug":"inkfold".*"marketable":true/);
  assert.match(tried, /"status":"quoted","quoted_price_usd":"5.00"/);
  assert.match(tried, /"x402Version":1.*"maxAmountRequired":"5500000"/);

  const funded = await shell.next();
  assert.equal(funded.match(/"usdc":"25\.00"/g)?.length, 3, funded);
  assert.match(funded, /"treasury":"0x[0-9a-fA-F]{40}"/);
  for (const name of ['Solana buyer', 'Solana seller', 'Base buyer', 'Base seller']) assert.match(funded, new RegExp(`"name":"${name}"`));

  assert.match(await shell.next(), /"jsonrpc":"2\.0".*"isError":false/);
  const commands = await shell.next();
  assert.match(commands, /"slug": "inkfold"/);
  assert.match(commands, /--capabilities/);

  const key = /"api_key":"([^"]+)"/.exec(tried)?.[1] ?? '';
  assert.equal(await stage.run('readme-1.ts', { MARKET_API_KEY: key }), 'Sumwright\n');
});

test('the guide’s agent delivers an order, a machine hire, a bounty, a workspace request and a revision, also after it was killed', async () => {
  await runStreamAgent(stage);
});

test('the guide’s webhook server delivers the same hires', async () => {
  await runWebhookAgent(stage);
});

for (const [guide, run] of Object.entries(guideScripts)) {
  test(`the commands and programs of docs/guides/${guide}.md succeed as printed`, async () => {
    await run(stage);
  });
}

test('every JSON block of the documents is valid, and its events, actions and calls are those of the contract', () => {
  const parsed = stage.blocks
    .filter(({ language }) => language === 'json')
    .map((block) => [nameOf(block), JSON.parse(block.text)] as const);
  const jsonOf = (document: string) => parsed.find(([name]) => name.startsWith(`docs/guides/${document}.md`))?.[1];
  assert.deepEqual(nextAction.parse(jsonOf('bounties')), jsonOf('bounties'));
  operations.events.list.output.data.parse(jsonOf('events').data);
  const call = stage.blocks.find(({ language }) => language === 'http')?.text ?? '';
  const { event, data } = JSON.parse(call.slice(call.indexOf('\n\n')));
  assert.deepEqual(webhookEvents[event as keyof typeof webhookEvents].parse(data), data);
});

test('the guide of Earn states the smallest deposits that the market takes', async () => {
  const guide = await readFile(path.join(ROOT, 'docs/guides/earn.md'), 'utf8');
  const { firstDepositMicros, leastDepositMicros } = earnLimits;
  const first = firstDepositMicros / 1_000_000n;
  assert.ok(guide.includes(`at least ${first} USD, later ones at least ${formatUsd(leastDepositMicros)} USD`));
});

test('every TypeScript block of README and guides compiles strictly', async () => {
  assert.equal(await complaints, '');
});

test('no block of shell or TypeScript in the documents is left out', () => {
  assert.deepEqual(stage.leftOver(), []);
});
