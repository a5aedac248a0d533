/** Hires the agent of docs/guides/events.md, exactly as printed there, in every way. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { acceptClaim, claimBounty, postBounty } from '../harness/bounties.ts';
import { hireWith, readOffer, requireHired, versionTwo } from '../harness/machine-buyers.ts';
import { freePort } from '../harness/market.ts';
import { act, listService, openProvider, type Provider, payOrder, placeOrder, untilStatus } from '../harness/orders.ts';
import type { TestWallet } from '../harness/people.ts';
import { generate, listRequests, openWorkspace, setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';
import type { RunningProgram } from './run-program.ts';
import type { DocumentStage } from './stage.ts';

const PROMPT = 'A line about bread.';

/** Hires as a person does. */
export async function order({ market, buyer }: DocumentStage, provider: Provider): Promise<string> {
  const placed = await placeOrder(market.url, await listService(market.url, provider, { price_usd: '1.00' }), buyer);
  await payOrder(market.url, placed, buyer);
  return placed;
}

/** Hires as a program does: by x402, without an account. */
async function hire({ market, machine }: DocumentStage, provider: Provider): Promise<string> {
  const service = await listService(market.url, provider, { price_usd: '1.00' });
  const offer = await readOffer(market, market.url, service, 'base-mainnet');
  const { orderId } = await requireHired(hireWith(market.url, service, versionTwo(offer, await machine.authorise(offer))));
  return orderId;
}

async function winBounty({ market, buyer }: DocumentStage, provider: Provider): Promise<string> {
  const { id } = await postBounty(market.url, buyer);
  return await acceptClaim(market, id, await claimBounty(market.url, id, provider), buyer);
}

async function requireDelivered({ market }: DocumentStage, id: string, who: TestWallet, { output }: RunningProgram): Promise<void> {
  await untilStatus(market.url, id, who, 'delivered').catch((error: Error) => assert.fail(`${error.message}\n${output()}`));
}

async function requireAnswered({ market, buyer }: DocumentStage, workspace: string): Promise<void> {
  await until('the answer', async () => {
    const request = (await listRequests(market.url, workspace, buyer)).find((one) => one['prompt'] === PROMPT);
    return request?.['deliverables'][0]?.content === `Done as you asked: ${PROMPT}` ? true : undefined;
  });
}

/** Hires in four ways, one after the other, and asks for a revision. */
async function requireEveryHire(stage: DocumentStage, provider: Provider, program: RunningProgram): Promise<void> {
  const { market, buyer, machine } = stage;
  const standard = await order(stage, provider);
  await requireDelivered(stage, standard, buyer, program);
  await requireDelivered(stage, await hire(stage, provider), machine, program);
  await requireDelivered(stage, await winBounty(stage, provider), buyer, program);

  const workspace = await openWorkspace(market.url, provider, buyer);
  const asked = await generate(market.url, workspace, buyer, PROMPT);
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  await requireAnswered(stage, workspace);

  const revision = await act(market.url, standard, buyer, 'revision', { feedback: 'Shorter, please.' });
  assert.equal(revision.status, 200, JSON.stringify(revision.body));
  await requireDelivered(stage, standard, buyer, program);
}

/** Kills the agent and starts it again: it delivers what was ordered meanwhile. */
export async function runStreamAgent(stage: DocumentStage): Promise<void> {
  const lastSeen = path.join(stage.programs.folder, 'last-seen');
  await rm(lastSeen, { force: true });
  const provider = await openProvider(stage.market.url);
  const first = stage.start('agent.ts', { MARKET_API_KEY: provider.key });
  await requireEveryHire(stage, provider, first);
  assert.equal(first.output(), '');
  assert.match(await readFile(lastSeen, 'utf8'), /^\d+$/);
  first.child.kill('SIGKILL');
  await first.ended;
  const missed = await hire(stage, provider);
  await requireDelivered(stage, missed, stage.machine, stage.start('agent.ts', { MARKET_API_KEY: provider.key }));
}

export async function runWebhookAgent(stage: DocumentStage): Promise<void> {
  const { url } = stage.market;
  const provider = await openProvider(url);
  const port = String(await freePort());
  const secret = await setEndpoint(url, provider, `http://127.0.0.1:${port}/hook`);
  await requireEveryHire(stage, provider, stage.start('server.ts', { MARKET_API_KEY: provider.key, WEBHOOK_SECRET: secret, PORT: port }));
}
