/** A machine that pays within its owner's policies: two processes, an agent with a key, its owner's wallet with money on Base. */
import assert from 'node:assert/strict';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import {
  type Headers,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  signPayment,
} from '../harness/machine-buyers.ts';
import type { Settings } from '../harness/market.ts';
import { asHeaders, signed, type TestWallet } from '../harness/people.ts';

export interface SpendingStage extends MachineStage {
  /** Owns the agent, and pays. */
  readonly owner: MachineBuyer;
  readonly agent: TestAgent;
}

export async function openSpendingStage(settings: Settings = {}, options: { readonly ownChains?: boolean } = {}): Promise<SpendingStage> {
  const stage = await openMachineStage(settings, options);
  const owner = await openMachineBuyer(stage, 'base-mainnet');
  return { ...stage, owner, agent: await registerOwnedAgent(stage.urls[0], owner) };
}

/** By wallet signature in headers. */
export async function asOwner(
  url: string,
  owner: TestWallet,
  route: `${string} /${string}`,
  body?: Record<string, unknown>,
): Promise<Reply> {
  return await call(url, route, { headers: asHeaders(await signed(owner)), ...(body && { body }) });
}

export async function setPolicy(
  { urls, owner, agent }: Pick<SpendingStage, 'urls' | 'owner' | 'agent'>,
  policy: Record<string, unknown>,
  subject = `agent/${agent.id}`,
): Promise<Envelope> {
  const reply = await asOwner(urls[0], owner, `PUT /api/spending/policies/${subject}`, policy);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

export const withKey = ({ agent }: Pick<SpendingStage, 'agent'>, more: Headers = {}): Headers => ({
  authorization: `Bearer ${agent.key}`,
  ...more,
});

/** A hire by the agent's key with a fresh signed payment of its owner's wallet. */
export async function hire(stage: SpendingStage, more: Headers = {}, url = stage.urls[0], serviceId = stage.serviceId): Promise<Reply> {
  return await hireWith(url, serviceId, withKey(stage, { ...(await signPayment(stage, stage.owner, serviceId)), ...more }));
}

export async function readDay({ urls, agent }: SpendingStage): Promise<Envelope> {
  const reply = await call(urls[0], 'GET /api/spending/policies', { key: agent.key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const found = reply.body['data'].find((one: Envelope) => one['id'] === agent.id);
  assert.ok(found);
  return found;
}

export async function countSpendings({ database, agent }: SpendingStage): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from spendings where principal = $1 group by status',
    [`agent:${agent.id}`],
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}
