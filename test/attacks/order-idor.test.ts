/** An order of others: each operation refuses each identity, changes nothing and reveals nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, type OrderRole, operationList, sidesOfOrderCall } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { isThorough, some } from '../harness/thoroughness.ts';
import { recordOf } from '../orders/order-record.ts';

/** Every operation on one order. */
const ofAnOrder = operationList.filter(({ spec }) => spec.rest.path.includes('/orders/{id}'));

/** Words that occur only in the victims' orders. */
const secrets = {
  title: 'Quillwork appraisal',
  brief: 'Appraise the heron manuscript discreetly.',
  delivery: 'https://example.com/heron-appraisal.pdf',
  message: 'The heron arrives on Tuesday.',
  dispute: 'The heron is a cormorant.',
  statement: 'It was a heron when it left us.',
  prompt: 'Another heron for November.',
};

type Headers = Record<string, string>;

describe('an order that belongs to others', () => {
  let market: TestMarket;
  let provider: Provider;
  let buyer: Buyer;
  let victims: Record<'delivered' | 'disputed' | 'workspace' | 'unpaid', string>;
  let strangers: Record<string, Headers>;
  let giveaways: readonly string[];

  before(async () => {
    market = await openMarket({ ...withChains, JOBS: 'off' });
    const { url } = market;
    [provider, buyer] = await Promise.all([openProvider(url), openBuyer(market, 'base-mainnet')]);
    victims = await makeVictims();
    strangers = await gatherStrangers();
    const references = await market.database.pool.query<{ reference: string }>(
      'select payment_reference as reference from orders where payment_reference is not null',
    );
    giveaways = [
      ...Object.values(secrets),
      buyer.address,
      provider.owner.address,
      provider.name,
      provider.id,
      ...references.rows.map((row) => row.reference),
    ];
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  async function makeVictims(): Promise<typeof victims> {
    const { url } = market;
    const byBuyer = asHeaders(await signed(buyer));
    const service = await listService(url, provider, { title: secrets.title });
    const workspaces = await listService(url, provider, { title: secrets.title, price_type: 'weekly' });
    const place = async (of: string) => await placeOrder(url, of, buyer, { brief: secrets.brief });
    const [delivered, disputed, workspace, unpaid] = [
      await place(service),
      await place(service),
      await place(workspaces),
      await place(service),
    ];
    const must = async (route: `${string} /${string}`, headers: Headers, body: Record<string, unknown>) =>
      assert.equal((await call(url, route, { headers, body })).status, 200, route);
    for (const id of [delivered, disputed, workspace]) {
      await payOrder(url, id, buyer);
      await must(`POST /api/orders/${id}/messages`, byBuyer, { content: secrets.message });
    }
    for (const id of [delivered, disputed])
      await must(`POST /api/orders/${id}/deliver`, provider.headers, { deliverable_url: secrets.delivery });
    await must(`PATCH /api/orders/${disputed}`, byBuyer, { action: 'dispute', reason: secrets.dispute });
    await must(`POST /api/orders/${disputed}/dispute/statements`, provider.headers, { statement: secrets.statement });
    await must(`POST /api/orders/${workspace}/generate`, byBuyer, { prompt: secrets.prompt });
    return { delivered, disputed, workspace, unpaid };
  }

  /** Every kind of stranger to the orders, close ones included. */
  async function gatherStrangers(): Promise<typeof strangers> {
    const { url } = market;
    const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
    const otherProvider = await openProvider(url, 'solana-mainnet');
    const otherBuyer = solanaWallet();
    const theirs = await listService(url, otherProvider);
    await placeOrder(url, theirs, otherBuyer);
    const [sisterOfProvider, agentOfBuyer] = [await registerOwnedAgent(url, provider.owner), await registerOwnedAgent(url, buyer)];
    const person = bearer(
      await tokenFor(url, { email: 'stranger@example.com', wallets: [{ chain: 'base', address: baseWallet().address }] }),
    );
    const wallet = asHeaders(await signed(baseWallet()));
    return {
      'a stranger’s wallet': wallet,
      'a stranger’s account': person,
      'a stranger’s account and wallet together': { ...person, ...wallet },
      'another provider’s key': otherProvider.headers,
      'another provider’s owner': asHeaders(await signed(otherProvider.owner)),
      'another buyer': asHeaders(await signed(otherBuyer)),
      'another agent of the provider’s owner': bearer(sisterOfProvider.key),
      'an agent of the buyer that did not order': bearer(agentOfBuyer.key),
    };
  }

  /** Sends the contract's own example, for this order. */
  async function ask({ spec }: NamedOperation, orderId: string, headers: Headers): Promise<Reply> {
    const { method, path, selector } = spec.rest;
    const example = spec.examples[0]?.input ?? {};
    const fields = Object.keys(spec.input?.body?.shape ?? {}).filter((name) => name in example);
    const chosen = selector === undefined ? {} : { [selector.field]: selector.value };
    const body = { ...Object.fromEntries(fields.map((name) => [name, example[name]])), ...chosen };
    return await call(market.url, `${method} ${path.replace('{id}', orderId) as `/${string}`}`, {
      headers,
      ...(method !== 'GET' && { body }),
    });
  }

  function requireSilence(reply: Reply, what: string): void {
    assert.deepEqual(faultsOfRefusal(reply), [], what);
    const text = JSON.stringify(reply.body);
    for (const word of giveaways) assert.ok(!text.includes(word), `${what} gives away ${word}: ${text}`);
  }

  test('the contract has at least 25 operations on one order', () => {
    assert.ok(ofAnOrder.length >= 25, String(ofAnOrder.length));
  });

  for (const [turn, operation] of ofAnOrder.entries()) {
    test(`A01: ${operation.name} of a foreign order answers 401 without credentials, 403 to strangers, and changes nothing`, async () => {
      const takesStrangers = operation.spec.access.accepts.some((kind) => kind !== 'admin');
      // A thorough run tries every state; an everyday run one, in turn.
      const states = Object.entries(victims).filter((_, n, { length }) => isThorough || n === turn % length);
      for (const [state, id] of states) {
        const record = await recordOf(market, id);
        const nobody = await ask(operation, id, {});
        requireSilence(nobody, 'nobody');
        assert.equal(nobody.status, 401);
        await Promise.all(
          Object.entries(strangers).map(async ([who, headers]) => {
            const reply = await ask(operation, id, headers);
            requireSilence(reply, `${who}, ${state}`);
            assert.deepEqual(
              [reply.status, reply.body['code']],
              [403, takesStrangers ? 'not_your_order' : 'wrong_credential'],
              `${who}, ${state}: ${JSON.stringify(reply.body)}`,
            );
            assert.equal(reply.body['data'], undefined, who);
          }),
        );
        assert.equal(await recordOf(market, id), record, `${state}: something moved`);
      }
    });

    test(`${operation.name} of an unknown order is 404 with any credentials and 401 without`, async () => {
      const admin = { authorization: `Bearer ${await tokenFor(market.url, { email: 'ops@example.com', admin: true })}` };
      const takesStrangers = operation.spec.access.accepts.some((kind) => kind !== 'admin');
      const someone = takesStrangers
        ? [asHeaders(await signed(buyer)), provider.headers, ...Object.values(strangers).slice(0, 2), admin]
        : [admin];
      const unknown = [
        'ord_1700000000000_nobodyhas',
        victims.delivered.toUpperCase(),
        `${victims.delivered}%20`,
        `${victims.delivered}%27--`,
      ];
      for (const id of some(unknown, 2)) {
        assert.equal((await ask(operation, id, {})).status, 401, id);
        for (const headers of someone) {
          const reply = await ask(operation, id, headers);
          requireSilence(reply, id);
          assert.deepEqual([reply.status, reply.body['code']], [404, 'order_not_found'], `${id}: ${JSON.stringify(reply.body)}`);
        }
      }
    });
  }

  test('an administrator reads any order, and acts only where the contract lists administrators', async () => {
    const headers = { authorization: `Bearer ${await tokenFor(market.url, { email: 'ops@example.com', admin: true })}` };
    for (const operation of ofAnOrder.filter(({ spec }) => spec.effects.kind === 'read')) {
      // The answer shows the author's wallets.
      const expected = operation.name === 'onchainFeedback.read' ? 403 : 200;
      assert.equal((await ask(operation, victims.disputed, headers)).status, expected, operation.name);
    }
    const record = await recordOf(market, victims.delivered);
    for (const operation of ofAnOrder.filter(({ spec }) => spec.effects.kind !== 'read' && !spec.access.accepts.includes('admin'))) {
      const reply = await ask(operation, victims.delivered, headers);
      assert.deepEqual([reply.status, reply.body['code']], [403, 'wrong_side'], operation.name);
    }
    assert.equal(await recordOf(market, victims.delivered), record);
  });

  test('a caller on the wrong side of an order gets 403 before the body is validated', async () => {
    const admin = { authorization: `Bearer ${await tokenFor(market.url, { email: 'ops@example.com', admin: true })}` };
    const headersOf = { buyer: asHeaders(await signed(buyer)), provider: provider.headers, admin };
    const malformed = [{ nonsense: 1 }, { brief: 5, price_usd: [], content: {}, rating: 'x', statement: 1 }];
    for (const { name, spec } of ofAnOrder.filter(
      ({ spec: { effects, rest } }) => effects.kind !== 'read' && !rest.path.startsWith('/api/admin/'),
    )) {
      const sides = sidesOfOrderCall(spec);
      assert.ok(sides !== undefined && sides.length > 0, `${name} says who may make it`);
      const { method, path, selector } = spec.rest;
      const route = `${method} ${path.replace('{id}', victims.delivered) as `/${string}`}` as const;
      for (const [role, headers] of Object.entries(headersOf)) {
        for (const fields of malformed) {
          const body = { ...fields, ...(selector && { [selector.field]: selector.value }) };
          const reply = await call(market.url, route, { headers, body });
          const expected: [number, string] = sides.includes(role as OrderRole) ? [400, 'invalid_input'] : [403, 'wrong_side'];
          assert.deepEqual([reply.status, reply.body['code']], expected, `${name} by ${role}: ${JSON.stringify(reply.body)}`);
        }
      }
    }
  });

  test('an order action checks the caller before an unknown action is refused', async () => {
    const route = `PATCH /api/orders/${victims.delivered}` as const;
    for (const body of [{}, { action: 'explode' }, { action: 5 }]) {
      assert.equal((await call(market.url, route, { body })).status, 401);
      for (const headers of Object.values(strangers)) assert.equal((await call(market.url, route, { headers, body })).status, 403);
      for (const headers of [asHeaders(await signed(buyer)), provider.headers]) {
        const reply = await call(market.url, route, { headers, body });
        assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input']);
        assert.match(reply.body['error'], /action must be one of/);
      }
      const unknown = await call(market.url, 'PATCH /api/orders/ord_1700000000000_nobodyhas', { headers: provider.headers, body });
      assert.equal(unknown.status, 404);
    }
  });

  test('an answer stored for the buyer under an Idempotency-Key is not replayed to a stranger with the same key', async () => {
    const headers = { 'idempotency-key': 'known-to-everybody' };
    const body = { allow: true };
    const route = `PUT /api/orders/${victims.delivered}/portfolio` as const;
    const first = await call(market.url, route, { headers: { ...headers, ...asHeaders(await signed(buyer)) }, body });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    for (const [who, credentials] of Object.entries(strangers)) {
      const reply = await call(market.url, route, { headers: { ...headers, ...credentials }, body });
      assert.equal(reply.status, 403, who);
      requireSilence(reply, who);
    }
  });

  test('A01: order lists contain the caller’s own orders only, under every filter and cursor', async () => {
    const { url } = market;
    const mine = await call(url, 'GET /api/orders?limit=1', { headers: asHeaders(await signed(buyer)) });
    assert.equal(mine.body['total'], 4);
    const cursor = encodeURIComponent(mine.body['next_cursor']);
    for (const [who, headers] of Object.entries(strangers)) {
      for (const query of [
        '',
        '?role=client',
        '?role=provider',
        '?needs_me=true',
        '?status=delivered,disputed',
        '?limit=100',
        `?cursor=${cursor}`,
      ]) {
        const reply = await call(url, `GET /api/orders${query}`, { headers });
        assert.equal(reply.status, 200, `${who} ${query}`);
        const text = JSON.stringify(reply.body);
        for (const word of giveaways) assert.ok(!text.includes(word), `${who} ${query} reads ${word}`);
      }
      for (const agent of [provider.id, provider.slug]) {
        const reply = await call(url, `GET /api/agents/${agent}/orders`, { headers });
        assert.equal(reply.status, 403, `${who}: ${JSON.stringify(reply.body)}`);
        requireSilence(reply, who);
      }
    }
    assert.equal((await call(url, 'GET /api/orders')).status, 401);
    assert.equal((await call(url, `GET /api/agents/${provider.id}/orders`)).status, 401);
    // The buyer is a party to the orders, but not to the provider's agent.
    assert.equal((await call(url, `GET /api/agents/${provider.id}/orders`, { headers: asHeaders(await signed(buyer)) })).status, 403);
    const own = await call(url, `GET /api/agents/${provider.id}/orders`, { headers: provider.headers });
    assert.equal(own.body['total'], 4);
  });
});
