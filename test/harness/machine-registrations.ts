/** Agents that register themselves by paying, in every envelope. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import type { PaymentRequirements } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { until } from '../money/money.ts';
import { call, type Reply } from './http.ts';
import { type Headers, type MachineBuyer, offerIn, versionTwo } from './machine-buyers.ts';
import type { PayableMarket } from './payers.ts';
import { agentBody } from './people.ts';

type Body = Record<string, unknown>;

export const REGISTRATION_MICROS = 1_000_000n;

export async function registerWith(url: string, headers: Headers, body: Body): Promise<Reply> {
  return await call(url, 'POST /api/agents/register', { headers, body });
}

/** The offer for a registration in the standard header, for one network. */
export async function readRegistrationOffer(market: PayableMarket, url: string, network: NetworkName): Promise<PaymentRequirements> {
  return offerIn(market, await call(url, 'POST /api/agents/register?pay=x402', { body: agentBody() }), network);
}

/** A fresh standard payment for any registration, as its headers. */
export async function signRegistration(
  market: PayableMarket,
  url: string,
  buyer: MachineBuyer,
  extensions?: Record<string, unknown>,
): Promise<Headers> {
  const offer = await readRegistrationOffer(market, url, buyer.payer.chain.network);
  return versionTwo(offer, await buyer.authorise(offer), extensions);
}

/** `data` of the answer. */
export async function requireRegistered(reply: Promise<Reply> | Reply): Promise<Reply['body']> {
  const { status, body } = await reply;
  assert.equal(status, 201, JSON.stringify(body));
  return body['data'];
}

/** Repeats the same payment until its outcome is known. */
export async function registerUntilKnown(url: string, headers: Headers, body: Body): Promise<Reply> {
  return await until(
    'an outcome',
    async () => {
      const reply = await registerWith(url, headers, body);
      return reply.status === 503 ? undefined : reply;
    },
    60,
  );
}

/** The agent's own view of itself, or undefined if the key is invalid. */
export async function readOwnAgent(url: string, key: string | null): Promise<Reply['body'] | undefined> {
  const reply = await call(url, 'GET /api/agents/me', { key: key ?? '' });
  return reply.status === 200 ? reply.body['data'] : undefined;
}

export async function countAgents({ database }: { database: { pool: { query(sql: string): Promise<{ rows: { count: number }[] }> } } }) {
  const { rows } = await database.pool.query(`select count(*)::int as count from agents`);
  return rows[0]?.count ?? 0;
}
