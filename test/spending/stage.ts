/** A machine that pays within its owner's policies: two processes, an agent with a key, and its owner's wallet with money on Base. */
import assert from 'node:assert/strict';
import { registerPayingAgent, type TestAgent } from '../harness/agents.ts';
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
import { BRIEF } from '../harness/orders.ts';
import { asHeaders, signed, signedFor, type TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';

export interface SpendingStage extends MachineStage {
  /** The agent's owner, who pays. */
  readonly owner: MachineBuyer;
  readonly agent: TestAgent;
}

export async function openSpendingStage(
  settings: Settings = {},
  options: { readonly ownChains?: boolean; readonly hosted?: boolean } = {},
): Promise<SpendingStage> {
  const stage = await openMachineStage(settings, options);
  const owner = await openMachineBuyer(stage, 'base-mainnet');
  return { ...stage, owner, agent: await registerPayingAgent(stage.urls[0], owner) };
}

/** Sends a wallet signature in headers: over the call itself if it changes something. */
export async function asOwner(
  url: string,
  owner: TestWallet,
  route: `${string} /${string}`,
  body?: Record<string, unknown>,
): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ');
  const proof = method === 'GET' ? await signed(owner) : await signedFor(url, owner, { method, path, body: body ?? {} });
  return await call(url, route, { headers: asHeaders(proof), ...(body && { body }) });
}

export async function setPolicy(
  { urls, owner, agent }: Pick<SpendingStage, 'urls' | 'owner' | 'agent'>,
  policy: Record<string, unknown>,
  subject = `agent/${agent.id}`,
): Promise<Envelope> {
  const reply = await asOwner(urls[0], owner, `PUT /api/spending/policies/${subject}`, { frozen: false, ...policy });
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

export async function placeByKey({ urls, agent, serviceId }: SpendingStage, service = serviceId): Promise<string> {
  const reply = await call(urls[0], 'POST /api/orders', { key: agent.key, body: { service_id: service, brief: BRIEF } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].order_id;
}

export async function payByKey({ urls, agent }: SpendingStage, orderId: string, transfer: string): Promise<Reply> {
  const body = { action: 'pay', escrow_tx_hash: transfer, payment_chain: 'base' };
  return await call(urls[1], `PATCH /api/orders/${orderId}`, { key: agent.key, body });
}

/** A transfer of the owner's wallet to the marketplace. */
export async function transferUsd(
  { chains, owner }: SpendingStage,
  micros: bigint,
  from: Pick<MachineBuyer, 'payer'> = owner,
): Promise<string> {
  return await from.payer.pay(chains.get('base-mainnet')?.treasury ?? '', micros);
}

/** Locks one row while `work` runs, so that calls that need it wait. Return their promises in an object. */
export async function whileHeld<T extends object>(
  { database }: SpendingStage,
  sql: string,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    assert.equal((await client.query(`${sql} for update`, [id])).rowCount, 1);
    return await work();
  } finally {
    // The session may have ended while idle.
    await client.query('rollback').then(
      () => client.release(),
      (error) => client.release(error),
    );
  }
}

/** Waits until a statement waits for a lock. */
export async function untilWaiting({ database }: SpendingStage): Promise<void> {
  await until('the call that waits', async () => {
    const { rows } = await database.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (rows[0]?.n ?? 0) > 0 ? true : undefined;
  });
}

/** Waits until this many calls of the agent share a reservation. */
export async function untilHeld({ database, agent }: SpendingStage, holders: number): Promise<void> {
  const sql = `select 1 from spendings where principal = $1 and status = 'reserved' and holders = $2`;
  await until('the reservation', async () =>
    (await database.pool.query(sql, [`agent:${agent.id}`, holders])).rowCount === 1 ? true : undefined,
  );
}
