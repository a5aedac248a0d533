/** Messages about an order: permissions, states, numbering and read positions. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { asQuery, type CallOptions, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { listService, openProvider, type Provider, placeOrder, readOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';

suite('messages', () => {
  let market: TestMarket;
  let provider: Provider;
  let buyer: TestWallet;
  let service: string;
  let order: string;

  before(async () => {
    market = await openMarket();
    provider = await openProvider(market.url);
    buyer = baseWallet();
    service = await listService(market.url, provider);
    order = await paidOrder();
  });
  after(() => market.close());

  async function paidOrder(): Promise<string> {
    const id = await placeOrder(market.url, service, buyer);
    await setOrderStatus(market, [id], 'paid');
    return id;
  }
  const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
  const send = (id: string, content: unknown, who: CallOptions): Promise<Reply> =>
    call(market.url, `POST /api/orders/${id}/messages`, { ...who, body: { content } });
  const list = (id: string, who: CallOptions, query: Record<string, string | number> = {}): Promise<Reply> =>
    call(market.url, `GET /api/orders/${id}/messages${asQuery(query)}`, who);
  const markRead = (id: string, who: CallOptions, body: object = {}): Promise<Reply> =>
    call(market.url, `POST /api/orders/${id}/messages/read`, { ...who, body });
  const numbers = (reply: Reply): number[] => reply.body['data'].map((message: Envelope) => message['number']);
  const codeOf = ({ status, body }: Reply): [number, string] => [status, body['code']];

  test('a message names the side that wrote it, and its content is trimmed', async () => {
    const fromBuyer = await send(order, '  Is page two part of it?  ', await by(buyer));
    assert.equal(fromBuyer.status, 200, JSON.stringify(fromBuyer.body));
    const { id, created_at, ...message } = fromBuyer.body['data'];
    assert.match(id, /^msg_/);
    assert.match(created_at, /^\d{4}-/);
    assert.deepEqual(message, {
      order_id: order,
      number: 1,
      sender_type: 'client',
      sender_id: buyer.address,
      sender_name: `${buyer.address.slice(0, 4)}...${buyer.address.slice(-4)}`,
      user_id: null,
      content: 'Is page two part of it?',
      withheld_until: null,
    });
    const byKey = (await send(order, 'It is.', provider)).body['data'];
    assert.deepEqual([byKey.number, byKey.sender_type, byKey.sender_id, byKey.sender_name], [2, 'agent', provider.id, provider.name]);
    const byOwner = (await send(order, 'Page three too.', await by(provider.owner))).body['data'];
    assert.deepEqual([byOwner.number, byOwner.sender_type, byOwner.sender_id], [3, 'agent', provider.id]);
  });

  test('E26: the content of a message has 1 to 2000 characters', async () => {
    const id = await paidOrder();
    for (const content of ['', '   ', 'x'.repeat(2001), 5, null, undefined]) assert.equal((await send(id, content, provider)).status, 400);
    assert.equal((await send(id, 'x', provider)).status, 200);
    assert.equal((await send(id, 'x'.repeat(2000), provider)).status, 200);
    assert.equal((await list(id, provider)).body['total'], 2);
  });

  test('every call on messages is 401 without credentials, 403 for a stranger, 404 for an unknown order', async () => {
    const stranger = await by(baseWallet());
    const other = await registerOwnedAgent(market.url, baseWallet());
    for (const attempt of [
      (id: string, who: CallOptions) => list(id, who),
      (id: string, who: CallOptions) => send(id, 'hello', who),
      (id: string, who: CallOptions) => markRead(id, who),
    ]) {
      assert.equal((await attempt(order, {})).status, 401);
      assert.deepEqual(codeOf(await attempt(order, stranger)), [403, 'not_your_order']);
      assert.deepEqual(codeOf(await attempt(order, { key: other.key })), [403, 'not_your_order']);
      assert.deepEqual(codeOf(await attempt('ord_1700000000000_nosuchone', stranger)), [404, 'order_not_found']);
    }
  });

  test('an administrator reads messages, but cannot write or mark them read', async () => {
    const admin = { headers: { authorization: `Bearer ${await tokenFor(market.url, { email: 'root@example.com', admin: true })}` } };
    assert.equal((await list(order, admin)).status, 200);
    assert.deepEqual(codeOf(await send(order, 'hello', admin)), [403, 'wrong_side']);
    assert.deepEqual(codeOf(await markRead(order, admin)), [403, 'wrong_side']);
  });

  test('messages are open from payment on, also after completion, and closed after a cancellation', async () => {
    const unpaid = await placeOrder(market.url, service, buyer);
    assert.deepEqual(codeOf(await send(unpaid, 'hello', provider)), [400, 'messaging_closed']);
    assert.equal((await list(unpaid, provider)).status, 200);

    const completed = await paidOrder();
    await setOrderStatus(market, [completed], 'completed');
    assert.equal((await send(completed, 'Thank you.', await by(buyer))).status, 200);

    const cancelled = await paidOrder();
    assert.equal((await send(cancelled, 'Sorry.', await by(buyer))).status, 200);
    await setOrderStatus(market, [cancelled], 'cancelled');
    assert.deepEqual(codeOf(await send(cancelled, 'One more thing.', provider)), [400, 'messaging_closed']);
    assert.equal((await list(cancelled, provider)).body['total'], 1);
  });

  test('message numbers have no gaps and no duplicates when both sides write in parallel', async () => {
    const id = await paidOrder();
    const [client, agent] = [await by(buyer), provider];
    const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => send(id, `message ${n}`, n % 2 === 0 ? client : agent)));
    assert.deepEqual(
      replies.map(({ body }) => body['data'].number).sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
  });

  test('a page of messages has the newest 50, oldest first, and cursors lead back to the first', async () => {
    const id = await paidOrder();
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 20 }, () => send(id, 'a line', provider)));
    const newest = await list(id, provider);
    const upwards = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    assert.deepEqual(numbers(newest), upwards(71, 120));
    assert.equal(newest.body['total'], 120);
    const cursor = newest.body['next_cursor'];
    await send(id, 'written while somebody pages', provider);
    const older = await list(id, provider, { cursor });
    assert.deepEqual(numbers(older), upwards(21, 70));
    const oldest = await list(id, provider, { cursor: older.body['next_cursor'] });
    assert.deepEqual(numbers(oldest), upwards(1, 20));
    assert.equal(oldest.body['next_cursor'], null);

    assert.deepEqual(numbers(await list(id, provider, { after: 118 })), [119, 120, 121]);
    assert.deepEqual(numbers(await list(id, provider, { after: 121 })), []);
    assert.deepEqual(numbers(await list(id, provider, { limit: 2, offset: 1 })), [119, 120]);
    const polled = await list(id, provider, { after: 100, limit: 5 });
    assert.deepEqual(numbers(polled), upwards(117, 121));
    assert.deepEqual(numbers(await list(id, provider, { after: 100, limit: 100, cursor: polled.body['next_cursor'] })), upwards(101, 116));
    assert.equal(numbers(await list(id, provider, { limit: 1000 })).length, 100);
    assert.deepEqual(codeOf(await list(id, provider, { cursor: 'bm9uc2Vuc2U' })), [400, 'invalid_cursor']);
    for (const query of [{ limit: 0 }, { after: -1 }, { after: 'x' }, { offset: -1 }]) {
      assert.equal((await list(id, provider, query)).status, 400, JSON.stringify(query));
    }
  });

  test('listing messages marks nothing as read; each side sets its own read position, which never moves back', async () => {
    const id = await paidOrder();
    const client = await by(buyer);
    for (const content of ['one', 'two', 'three']) await send(id, content, provider);
    await list(id, client);
    assert.equal((await readOrder(market.url, id, buyer)).unread_messages, 3);
    assert.deepEqual((await markRead(id, client, { up_to: 2 })).body['data'], { order_id: id, read_up_to: 2, unread_messages: 1 });
    assert.equal((await markRead(id, client, { up_to: 1 })).body['data'].read_up_to, 2);
    assert.equal((await markRead(id, client, { up_to: 999 })).body['data'].read_up_to, 3);
    assert.equal((await readOrder(market.url, id, buyer)).unread_messages, 0);

    const seen = (await list(id, provider)).body;
    assert.deepEqual([seen['client_read_up_to'], seen['agent_read_up_to']], [3, 0]);
    await send(id, 'four', client);
    assert.equal((await markRead(id, provider)).body['data'].read_up_to, 4);
    assert.equal((await readOrder(market.url, id, buyer)).unread_messages, 0);
    for (const upTo of [-1, 1.5, 'x']) assert.equal((await markRead(id, client, { up_to: upTo })).status, 400);
  });

  test('a signed-in buyer and a buying agent write messages as clients, and the other side sees no account id', async () => {
    const token = await tokenFor(market.url, { email: 'writer@example.com' });
    const account = { headers: { authorization: `Bearer ${token}` } };
    await call(market.url, 'POST /api/auth/user', account);
    const placed = await call(market.url, 'POST /api/orders', {
      ...account,
      body: { service_id: service, brief: 'A brief of enough words.' },
    });
    const agentBuyer = await registerOwnedAgent(market.url, baseWallet());
    const hired = await call(market.url, 'POST /api/orders', {
      key: agentBuyer.key,
      body: { service_id: service, brief: 'A brief of enough words.' },
    });
    const [ofAccount, ofAgent] = [placed.body['data'].id, hired.body['data'].id];
    await setOrderStatus(market, [ofAccount, ofAgent], 'paid');

    const written = (await send(ofAccount, 'From an account.', account)).body['data'];
    assert.equal(written.sender_type, 'client');
    assert.ok(written.user_id);
    assert.notEqual(written.sender_id, written.user_id);
    const seen = (await list(ofAccount, provider)).body['data'][0];
    assert.deepEqual([seen.user_id, seen.sender_id, seen.sender_name], [null, written.sender_id, written.sender_name]);

    const byAgent = (await send(ofAgent, 'From an agent.', { key: agentBuyer.key })).body['data'];
    assert.deepEqual([byAgent.sender_type, byAgent.sender_id, byAgent.sender_name], ['client', agentBuyer.id, agentBuyer.name]);
    assert.equal((await send(ofAgent, 'An answer.', provider)).body['data'].sender_type, 'agent');
  });

  test('a buyer’s message causes the event of the webhook, and an agent’s message another event', async () => {
    const id = await paidOrder();
    await send(id, 'Hello there.', await by(buyer));
    await send(id, 'Hello back.', provider);
    const { rows } = await market.database.pool.query(
      `select type, data from events where subject_id = $1 and type like 'order.%message' order by id`,
      [id],
    );
    assert.deepEqual(rows, [
      {
        type: 'order.message',
        data: { sender_type: 'client', sender_name: `${buyer.address.slice(0, 4)}...${buyer.address.slice(-4)}`, content: 'Hello there.' },
      },
      { type: 'order.agent_message', data: { sender_type: 'agent', sender_name: provider.name, content: 'Hello back.' } },
    ]);
  });

  test('the same Idempotency-Key sends one message', async () => {
    const id = await paidOrder();
    const who = { headers: { ...provider.headers, 'idempotency-key': 'once' } };
    const [first, second] = [await send(id, 'Only once.', who), await send(id, 'Only once.', who)];
    assert.equal(first.body['data'].id, second.body['data'].id);
    assert.equal((await list(id, provider)).body['total'], 1);
  });
});
