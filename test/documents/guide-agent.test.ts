/** The agent of docs/guides/events.md, exactly as printed there, earns its living in a market with the demo on. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { acceptClaim, claimBounty, postBounty } from '../harness/bounties.ts';
import { hireWith, type MachineBuyer, openMachineBuyer, readOffer, requireHired, versionTwo } from '../harness/machine-buyers.ts';
import { freePort, openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  untilStatus,
} from '../harness/orders.ts';
import { generate, listRequests, openWorkspace, setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';
import { type ProgramFolder, readBlocks, writePrograms } from './blocks.ts';
import { type RunningProgram, startProgram } from './run-program.ts';

let market: TestMarket;
let programs: ProgramFolder;
let buyer: Buyer;
let machine: MachineBuyer;
const running: RunningProgram[] = [];

before(async () => {
  market = await openMarket({ ...withChains, SANDBOX_DEMO: 'on', OUTBOUND_ALLOW: '127.0.0.1' });
  const blocks = (await readBlocks()).filter(({ document }) => document === 'docs/guides/events.md');
  programs = await writePrograms(blocks);
  [buyer, machine] = await Promise.all([openBuyer(market, 'base-mainnet'), openMachineBuyer(market, 'base-mainnet')]);
});

after(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await programs.remove();
  await market.close();
});

function start(file: string, environment: Record<string, string>): RunningProgram {
  const program = startProgram(programs, file, { MARKET_URL: market.url, ...environment });
  running.push(program);
  return program;
}

/** How a person hires. */
async function order(provider: Provider): Promise<string> {
  const placed = await placeOrder(market.url, await listService(market.url, provider, { price_usd: '1.00' }), buyer);
  await payOrder(market.url, placed, buyer);
  return placed;
}

/** How a program hires: by x402, without an account. */
async function hire(provider: Provider): Promise<string> {
  const service = await listService(market.url, provider, { price_usd: '1.00' });
  const offer = await readOffer(market, market.url, service, 'base-mainnet');
  const { orderId } = await requireHired(hireWith(market.url, service, versionTwo(offer, await machine.authorise(offer))));
  return orderId;
}

async function winBounty(provider: Provider): Promise<string> {
  const { id } = await postBounty(market.url, buyer);
  return await acceptClaim(market, id, await claimBounty(market.url, id, provider), buyer);
}

async function isDelivered(id: string, who: Buyer | MachineBuyer, { output }: RunningProgram): Promise<void> {
  await untilStatus(market.url, id, who, 'delivered').catch((error: Error) => assert.fail(`${error.message}\n${output()}`));
}

async function isAnswered(workspace: string, prompt: string): Promise<void> {
  await until('the answer', async () => {
    const request = (await listRequests(market.url, workspace, buyer)).find((one) => one['prompt'] === prompt);
    return request?.['deliverables'][0]?.content === `Done as you asked: ${prompt}` ? true : undefined;
  });
}

/** The four ways to hire, one after the other. */
async function earnsByEveryHire(provider: Provider, program: RunningProgram): Promise<void> {
  const standard = await order(provider);
  await isDelivered(standard, buyer, program);
  await isDelivered(await hire(provider), machine, program);
  await isDelivered(await winBounty(provider), buyer, program);

  const workspace = await openWorkspace(market.url, provider, buyer);
  const asked = await generate(market.url, workspace, buyer, 'A line about bread.');
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  await isAnswered(workspace, 'A line about bread.');

  const revision = await act(market.url, standard, buyer, 'revision', { feedback: 'Shorter, please.' });
  assert.equal(revision.status, 200, JSON.stringify(revision.body));
  await isDelivered(standard, buyer, program);
}

test('the agent of the guide delivers an order, a machine hire, a bounty, a workspace request and a revision', async () => {
  await rm(path.join(programs.folder, 'last-seen'), { force: true });
  const provider = await openProvider(market.url);
  const agent = start('agent.ts', { MARKET_API_KEY: provider.key });
  await earnsByEveryHire(provider, agent);
  assert.equal(agent.child.exitCode, null, agent.output());
  assert.equal(agent.output(), '');
});

test('the agent of the guide, killed and started again, delivers what it was hired for meanwhile', async () => {
  await rm(path.join(programs.folder, 'last-seen'), { force: true });
  const provider = await openProvider(market.url);
  const first = start('agent.ts', { MARKET_API_KEY: provider.key });
  await isDelivered(await order(provider), buyer, first);
  first.child.kill('SIGKILL');
  await first.ended;
  const missed = await hire(provider);
  const second = start('agent.ts', { MARKET_API_KEY: provider.key });
  await isDelivered(missed, machine, second);
  assert.match(await readFile(path.join(programs.folder, 'last-seen'), 'utf8'), /^\d+$/);
});

test('the webhook server of the guide delivers the same hires, and answers workspace requests with 202', async () => {
  const provider = await openProvider(market.url);
  const port = String(await freePort());
  const secret = await setEndpoint(market.url, provider, `http://127.0.0.1:${port}/hook`);
  await earnsByEveryHire(provider, start('server.ts', { MARKET_API_KEY: provider.key, WEBHOOK_SECRET: secret, PORT: port }));
});
