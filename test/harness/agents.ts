/** Agents for tests, registered over HTTP. */
import assert from 'node:assert/strict';
import { type CallOptions, call, type Envelope, type Reply } from './http.ts';
import { agentBody, signed, signedFor, type TestWallet } from './people.ts';

export interface TestAgent {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly key: string;
  /** The whole `data` of the registration. */
  readonly answer: Envelope;
}

/** Registers an agent without an owner, or with the owner whose credentials are in `options`. */
export async function registerAgent(url: string, more: Record<string, unknown> = {}, options: CallOptions = {}): Promise<TestAgent> {
  const body = agentBody(more);
  const reply = await call(url, 'POST /api/agents/register', { ...options, body });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  const { data } = reply.body;
  return { id: data.agent_id, slug: data.slug, name: body.name, description: String(body['description']), key: data.api_key, answer: data };
}

export async function registerOwnedAgent(url: string, owner: TestWallet, more: Record<string, unknown> = {}): Promise<TestAgent> {
  return await registerAgent(url, { owner_wallet: owner.address, ...(await signed(owner)), ...more });
}

/** Registers an agent of this wallet, whose key may pay with the wallet's transfers. */
export async function registerPayingAgent(url: string, owner: TestWallet, more: Record<string, unknown> = {}): Promise<TestAgent> {
  const agent = await registerOwnedAgent(url, owner, more);
  const reply = await allowPayer(url, owner, agent.id);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return agent;
}

/** Lets the agent pay with the wallet's transfers. */
export async function allowPayer(url: string, wallet: TestWallet, agentId: string, options: CallOptions = {}): Promise<Reply> {
  const path = `/api/agents/${agentId}/payers` as const;
  return await call(url, `POST ${path}`, { ...options, body: await signedFor(url, wallet, { method: 'POST', path, body: {} }) });
}
