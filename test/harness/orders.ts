/** Hires for tests, over HTTP: an agent with an owner and a service, a buyer with a funded wallet, and the steps between. */
import assert from 'node:assert/strict';
import { type NetworkName, networkFacts } from '@market/contract';
import { base58 } from '@scure/base';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { registerOwnedAgent, type TestAgent } from './agents.ts';
import { call, type Reply } from './http.ts';
import type { TestMarket } from './market.ts';
import { createPayer, type PaidUntil, type PayableMarket, type Payer } from './payers.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet } from './people.ts';

export interface Provider extends TestAgent {
  readonly owner: TestWallet;
  readonly headers: Record<string, string>;
}

export interface Buyer extends TestWallet {
  readonly payer: Payer;
}

/** The paying wallet as a wallet that signs in. */
export function walletOf(payer: Payer): TestWallet {
  return payer.kind === 'evm'
    ? { chain: 'base', address: payer.address, sign: (text) => payer.wallet.signMessage({ message: text }) }
    : {
        chain: 'solana',
        address: payer.address,
        sign: async (text) => base58.encode(await payer.wallet.signMessage(new TextEncoder().encode(text))),
      };
}

export async function openBuyer(market: PayableMarket, network: NetworkName, usdcMicros?: bigint): Promise<Buyer> {
  const payer = await createPayer(market, network, usdcMicros);
  return { ...walletOf(payer), payer };
}

export async function openProvider(
  url: string,
  network: NetworkName = 'base-mainnet',
  owner: TestWallet = networkFacts[network].kind === 'evm' ? baseWallet() : solanaWallet(),
): Promise<Provider> {
  const agent = await registerOwnedAgent(url, owner);
  return { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
}

const LISTED_PRICE = '10.00';

/** A valid listing; `more` replaces fields. */
function serviceBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    category: 'custom',
    title: 'Careful proofreading',
    description: 'Reads a text twice and marks every slip with a reason, in plain words.',
    price_usd: LISTED_PRICE,
    price_type: 'fixed',
    ...more,
  };
}

export async function listService(
  url: string,
  provider: Pick<Provider, 'id' | 'headers'>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const reply = await call(url, `POST /api/agents/${provider.id}/services`, { body: serviceBody(more), headers: provider.headers });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body['data'].id;
}

export const BRIEF = 'Proofread the attached page and explain every change.';

export async function placeOrder(url: string, serviceId: string, buyer: TestWallet, more: Record<string, unknown> = {}): Promise<string> {
  const reply = await call(url, 'POST /api/orders', { body: { service_id: serviceId, brief: BRIEF, ...(await signed(buyer)), ...more } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].order_id;
}

/** Sends a command through PATCH, by wallet signature. */
export async function act(
  url: string,
  orderId: string,
  who: TestWallet,
  action: string,
  fields: Record<string, unknown> = {},
): Promise<Reply> {
  return await call(url, `PATCH /api/orders/${orderId}`, { body: { action, ...fields, ...(await signed(who)) } });
}

/** Pays the order on chain and confirms it; returns the reference. */
export async function payOrder(url: string, orderId: string, buyer: Buyer, until?: PaidUntil): Promise<string> {
  const options = (await readOrder(url, orderId, buyer)).payment_options as { network: string; pay_to: string; amount_micros: string }[];
  const option = options.find(({ network }) => network === buyer.payer.chain.network);
  assert.ok(option, `${orderId} can be paid on ${buyer.payer.chain.network}`);
  const reference = await buyer.payer.pay(option.pay_to, BigInt(option.amount_micros), until);
  const { chain } = networkFacts[buyer.payer.chain.network];
  const reply = await act(url, orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: chain });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reference;
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
export async function readOrder(url: string, orderId: string, who: TestWallet): Promise<any> {
  const reply = await call(url, `GET /api/orders/${orderId}`, { headers: asHeaders(await signed(who)) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

export async function deliver(
  url: string,
  orderId: string,
  provider: Pick<Provider, 'headers'>,
  more: Record<string, unknown> = {},
): Promise<Reply> {
  return await call(url, `POST /api/orders/${orderId}/deliver`, {
    body: { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link', ...more },
    headers: provider.headers,
  });
}

/** Moves the service's clock, so that timers run. */
export async function advanceClock(url: string, seconds: number): Promise<void> {
  const reply = await call(url, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Waits until the order has this status. */
export async function untilStatus(url: string, orderId: string, who: TestWallet, status: string, tries = 200): Promise<void> {
  let seen = '';
  for (let look = 0; look < tries; look++) {
    seen = (await readOrder(url, orderId, who)).order.status;
    if (seen === status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`order ${orderId} is ${seen}, not ${status}`);
}

/** The order's money once the transfer is final on its chain; fails early if it is parked. */
// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
export async function untilTransferred(url: string, orderId: string, who: TestWallet, which: 'payout' | 'refund'): Promise<any> {
  let money = { [which]: null } as Record<string, { state: string } | null>;
  for (let look = 0; look < 400; look++) {
    money = (await readOrder(url, orderId, who)).money;
    if (money[which]?.state === 'confirmed') return money;
    assert.notEqual(money[which]?.state, 'parked', JSON.stringify(money));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`the ${which} of ${orderId} is ${JSON.stringify(money[which])}`);
}

/** The USDC of an address on its chain, as the sandbox reads it. */
export async function usdcOn(url: string, network: NetworkName, address: string): Promise<string> {
  const reply = await call(url, `GET /sandbox/balance?network=${network}&address=${address}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].usdc;
}

/** Requires every invariant of books and chains, once transfers under way have arrived. */
export async function requireSoundBooks({ database, chains }: Pick<TestMarket, 'database' | 'chains'>): Promise<void> {
  let { findings } = await runAudit(database, chains);
  for (let look = 0; look < 100 && findings.length > 0; look++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    ({ findings } = await runAudit(database, chains));
  }
  assert.deepEqual(findings, []);
}
