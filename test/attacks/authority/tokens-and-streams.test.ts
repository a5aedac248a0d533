/** Tokens of orders end in time, and streams end with the key, session, connection or token that opened them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { orderDurations } from '@market/contract';
import { endOrderTokens, endTokensOfConnection } from '../../../packages/server/src/access/order-tokens-repository.ts';
import { opened, openStream, type SseStream } from '../../events/sse-client.ts';
import { registerOwnedAgent, type TestAgent } from '../../harness/agents.ts';
import { call, cookieOf, type Envelope, expectCall } from '../../harness/http.ts';
import {
  hireWith,
  MACHINE_BRIEF,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  requireHired,
  signPayment,
  transferProof,
} from '../../harness/machine-buyers.ts';
import { callTool, connectMcp, openListen } from '../../harness/mcp.ts';
import { connectProgram } from '../../harness/oauth.ts';
import { act, advanceClock, deliver, listService, openProvider, placeOrder } from '../../harness/orders.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../../harness/people.ts';

const DAY_SECONDS = 24 * 3600;
/** Streams once ended 20 to 40 seconds later, by a timer of their own. */
const AT_ONCE_MS = 2_000;

let stage: MachineStage;
/** Streams are open at `there`; credentials change at `here`, another process. */
let here: string;
let there: string;
let buyer: MachineBuyer;
before(async () => {
  stage = await openMachineStage({}, { ownChains: true });
  [here, there] = stage.urls;
  buyer = await openMachineBuyer(stage, 'base-mainnet');
});
after(() => stage.close());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

async function atOnce<T>(what: string, ended: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${AT_ONCE_MS} ms`)), AT_ONCE_MS);
  });
  return await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

async function requireBye(stream: SseStream, reason: string): Promise<void> {
  await atOnce(`the end of a stream (${reason})`, stream.ended);
  assert.deepEqual(
    stream.events.map(({ event, data }) => [event, data.reason]),
    [['bye', reason]],
  );
}

describe('Y12: a stream ends at once in another process', () => {
  async function rotate(agent: TestAgent, owner: TestWallet): Promise<void> {
    const proof = await signedFor(here, owner, { method: 'POST', path: '/api/agents/me/rotate-key', body: {} });
    await expectCall(here, 200, 'POST /api/agents/me/rotate-key', { key: agent.key, body: proof });
  }

  test('Y12: streams and a waiting read end when the agent’s key is replaced, over REST and MCP; the old key gets no later event', async () => {
    const agent = await openProvider(here);
    const service = await listService(here, agent, { price_usd: '1.00' });
    const stream = await opened(await openStream(there, bearer(agent.key)));
    const listening = await openListen(there, agent.key);
    assert.equal(listening.status, 200);
    const { body } = await call(there, 'GET /api/events?limit=100', { key: agent.key });
    const waiting = call(there, `GET /api/events?wait=20&after=${body['next_after']}`, { key: agent.key });
    // Gives the read time to start waiting.
    await sleep(300);
    await rotate(agent, agent.owner);
    const order = await placeOrder(here, service, buyer);
    await requireBye(stream, 'invalid_api_key');
    assert.ok(!(await atOnce('the end of an MCP stream', listening.ended)).includes(order));
    const refused = await atOnce('the waiting read', waiting);
    assert.deepEqual([refused.status, refused.body['code']], [401, 'invalid_api_key']);
  });

  test('Y12: a stream ends when its session is signed out', async () => {
    const wallet = baseWallet();
    const cookie = cookieOf(await call(here, 'POST /api/auth/session', { body: await agreed(here, wallet, { action: 'session' }) }));
    const stream = await opened(await openStream(there, { cookie }));
    await expectCall(here, 200, 'DELETE /api/auth/session', { headers: { cookie, origin: here } });
    await requireBye(stream, 'unauthenticated');
  });

  test('Y12: a stream ends when its connection is revoked or loses the scope', async () => {
    const [ines, inesThere] = await Promise.all([here, there].map((url) => tokenFor(url, { email: 'ines@example.com' })));
    for (const end of ['DELETE', 'PATCH'] as const) {
      const { accessToken, connectionId } = await connectProgram(there, inesThere ?? '', { scope: 'read hire' });
      const listening = await openListen(there, accessToken);
      assert.equal(listening.status, 200);
      await expectCall(here, 200, `${end} /api/connections/${connectionId}`, {
        key: ines ?? '',
        ...(end === 'PATCH' && { body: { scopes: ['hire'] } }),
      });
      await atOnce('the end of an MCP stream', listening.ended);
    }
  });

  test('Y12: a stream ends when its order token is ended', async () => {
    const { orderId, token } = await hire();
    const stream = await opened(await openStream(there, bearer(token)));
    await stage.database.transaction((tx) => endOrderTokens(tx, orderId));
    await requireBye(stream, 'invalid_order_token');
  });

  test('Y12: a stream ends when its caller is banned', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(here, owner);
    const stream = await opened(await openStream(there, bearer(agent.key)));
    const admin = await tokenFor(here, { email: 'ops@example.com', admin: true });
    const ban = { kind: 'wallet', value: owner.address, reason: 'Stolen pictures.' };
    await expectCall(here, 200, 'POST /api/admin/bans', { key: admin, body: ban });
    await requireBye(stream, 'banned');
  });

  test('Y12: when a key is replaced, streams of others go on', async (t) => {
    const [owner, other] = [baseWallet(), baseWallet()];
    const [agent, untouched] = [await registerOwnedAgent(here, owner), await registerOwnedAgent(here, other)];
    const going = await opened(await openStream(there, bearer(untouched.key)));
    const ending = await opened(await openStream(there, bearer(agent.key)));
    await rotate(agent, owner);
    const rotatedAt = performance.now();
    await requireBye(ending, 'invalid_api_key');
    t.diagnostic(`ended ${(performance.now() - rotatedAt).toFixed(1)} ms after the answer to the rotation`);
    await expectCall(here, 200, `PATCH /api/agents/${untouched.id}/active`, {
      body: { active: true },
      headers: asHeaders(await signed(other)),
    });
    assert.deepEqual(going.events, []);
    going.close();
  });
});

interface Hired {
  readonly orderId: string;
  readonly token: string;
  readonly buyerToken: string;
}

/** Hires by standard payment, which proves the payer. */
async function hire(): Promise<Hired> {
  const { orderId, token, buyerToken } = await requireHired(hireWith(here, stage.serviceId, await signPayment(stage, buyer)));
  assert.ok(token !== null && buyerToken !== null);
  return { orderId, token, buyerToken };
}

const refusal = async (reply: ReturnType<typeof call>): Promise<unknown[]> => {
  const { status, body } = await reply;
  return [status, body['code']];
};
const readWith = (orderId: string, token: string) => call(there, `GET /api/orders/${orderId}`, { key: token });

describe('Y13: a token of an order', () => {
  test('Y13: the order token for links reads and never acts; the token that acts works in no link', async () => {
    const { orderId, token, buyerToken } = await hire();
    const linked = `/api/orders/${orderId}?read_token=${token}` as const;
    assert.equal((await call(there, `GET ${linked}`)).status, 200);
    for (const [route, body] of [
      [`PATCH /api/orders/${orderId}`, { action: 'cancel' }],
      [`POST /api/orders/${orderId}/messages`, { content: 'Send it to me instead.' }],
    ] as const) {
      assert.deepEqual(await refusal(call(there, route, { key: token, body })), [403, 'wrong_credential'], route);
      assert.deepEqual(await refusal(call(there, `${route}?read_token=${token}`, { body })), [401, 'unauthenticated'], route);
    }
    const inLink = await call(there, `GET /api/orders/${orderId}?read_token=${buyerToken}`);
    assert.deepEqual([inLink.status, inLink.body['code']], [401, 'invalid_order_token']);
    assert.match(inLink.body['error'], /acts as the buyer, so no address may carry it/);
    const message = { key: buyerToken, body: { content: 'Blue, please.' } };
    assert.equal((await call(there, `POST /api/orders/${orderId}/messages`, message)).status, 200);
  });

  test('Y13: the answer to a hire says when its order tokens end', async () => {
    const { body } = await hireWith(here, stage.serviceId, await signPayment(stage, buyer));
    const end = Date.parse(`${body['data'].token_expires_at.replace(' ', 'T')}Z`);
    const days = (end - Date.now()) / (DAY_SECONDS * 1000);
    assert.ok(Math.abs(days - orderDurations.tokenMostDays) < 1, `${days} days`);
  });

  test('Y13: an order token ends alone or with all of its order; a payer that repeats the payment gets no ended one', async () => {
    const payer = await openMachineBuyer(stage, 'solana-mainnet');
    const proof = transferProof('solana-mainnet', await payer.payer.pay(payer.payer.chain.treasury, 1_100_000n));
    const presented = await requireHired(hireWith(here, stage.serviceId, proof));
    const asPayer = async () => requireHired(hireWith(here, stage.serviceId, { ...proof, ...asHeaders(await signed(payer)) }));
    const proven = await asPayer();
    await stage.database.transaction((tx) => endOrderTokens(tx, presented.orderId, { holder: 'presenter' }));
    assert.deepEqual(await refusal(readWith(presented.orderId, presented.token ?? '')), [401, 'invalid_order_token']);
    assert.equal((await readWith(proven.orderId, proven.token ?? '')).status, 200);
    await stage.database.transaction((tx) => endOrderTokens(tx, presented.orderId));
    for (const token of [proven.token, proven.buyerToken])
      assert.deepEqual(await refusal(readWith(proven.orderId, token ?? '')), [401, 'invalid_order_token']);
    const again = await asPayer();
    assert.deepEqual([again.orderId, again.token, again.buyerToken], [proven.orderId, null, null]);
  });

  test('Y13: an order token that a program got ends with its connection; other programs of the person get none', async () => {
    const ines = await tokenFor(here, { email: 'ines@example.com' });
    const program = await connectProgram(here, ines, { scope: 'read hire' });
    const other = await connectProgram(here, ines, { scope: 'read hire' });
    const { 'payment-signature': signed = '' } = await signPayment(stage, buyer);
    const payment = JSON.parse(Buffer.from(signed, 'base64').toString()) as object;
    const got = await pay(program.accessToken, payment);
    assert.match(got['read_token'], /^order_/);
    assert.match(got['buyer_token'], /^buyer_/);
    const { rows } = await stage.database.pool.query('select distinct connection_id from order_tokens where order_id = $1', [
      got['order_id'],
    ]);
    assert.deepEqual(rows, [{ connection_id: program.connectionId }]);
    const repeated = await pay(other.accessToken, payment);
    assert.deepEqual([repeated['order_id'], repeated['read_token'], repeated['buyer_token']], [got['order_id'], null, null]);

    assert.equal((await readWith(got['order_id'], got['read_token'])).status, 200);
    const own = await hire();
    await stage.database.transaction((tx) => endTokensOfConnection(tx, program.connectionId));
    assert.deepEqual(await refusal(readWith(got['order_id'], got['read_token'])), [401, 'invalid_order_token']);
    assert.equal((await readWith(own.orderId, own.token)).status, 200, 'tokens of others go on');
  });

  test('Y13: order tokens of a hire that was under way when its program was disconnected do not work', async () => {
    const ines = await tokenFor(here, { email: 'ines@example.com' });
    const program = await connectProgram(here, ines, { scope: 'read hire' });
    const { 'payment-signature': signed = '' } = await signPayment(stage, buyer);
    const got = await pay(program.accessToken, JSON.parse(Buffer.from(signed, 'base64').toString()) as object);
    await expectCall(here, 200, `DELETE /api/connections/${program.connectionId}`, { key: ines });
    // The state when the hire began before Disconnect and ended after it.
    await stage.database.pool.query('update order_tokens set ended_at = null where order_id = $1', [got['order_id']]);
    assert.deepEqual(await refusal(readWith(got['order_id'], got['read_token'])), [401, 'invalid_order_token']);
    assert.deepEqual(await refusal(readWith(got['order_id'], got['buyer_token'])), [401, 'invalid_order_token']);
  });

  async function pay(accessToken: string, payment: object): Promise<Envelope> {
    const args = { service_id: stage.serviceId, brief: MACHINE_BRIEF };
    const client = await connectMcp(here, accessToken);
    const { structuredContent, isError } = await callTool(client, 'submit_payment', args, { 'x402/payment': payment });
    await client.close();
    assert.notEqual(isError, true, JSON.stringify(structuredContent));
    return structuredContent['data'] as Envelope;
  }

  test('Y13: an order token ends 30 days after its order, 90 days after issue at most; the refusal names another way to read', async () => {
    const [done, open] = [await hire(), await hire()];
    assert.equal((await deliver(here, done.orderId, stage.provider)).status, 200);
    assert.equal((await act(here, done.orderId, buyer, 'approve')).status, 200);
    await advanceClock(here, (orderDurations.tokenDaysAfterEnd - 1) * DAY_SECONDS);
    for (const { orderId, token } of [done, open]) assert.equal((await readWith(orderId, token)).status, 200);

    await advanceClock(here, 2 * DAY_SECONDS);
    for (const token of [done.token, done.buyerToken]) {
      const ended = await readWith(done.orderId, token);
      assert.deepEqual([ended.status, ended.body['code']], [401, 'invalid_order_token']);
      assert.match(ended.body['error'], /30 days after the order ended, at most 90 days .* signature of the wallet that paid/);
    }
    assert.deepEqual(await refusal(call(there, `GET /api/orders/${done.orderId}?read_token=${done.token}`)), [401, 'invalid_order_token']);
    assert.equal((await call(there, `GET /api/orders/${done.orderId}`, { headers: asHeaders(await signed(buyer)) })).status, 200);
    assert.equal((await readWith(open.orderId, open.token)).status, 200);

    await advanceClock(here, (orderDurations.tokenMostDays - orderDurations.tokenDaysAfterEnd) * DAY_SECONDS);
    assert.deepEqual(await refusal(readWith(open.orderId, open.token)), [401, 'invalid_order_token']);
    assert.deepEqual(await refusal(readWith(open.orderId, open.buyerToken)), [401, 'invalid_order_token']);
  });
});
