/** Orders that arrive together share a transaction. One that fails late takes no other with it, and repeats in the same batch make one order. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';

const LATE = 'The provider of this order closes while it is placed.';

let market: TestMarket;
let providers: readonly Provider[];
let buyers: readonly Provider[];
let services: readonly string[];

before(async () => {
  market = await openMarket();
  const { url, database } = market;
  [providers, buyers] = await Promise.all([
    Promise.all([1, 2].map(() => openProvider(url))),
    Promise.all([1, 2, 3].map(() => openProvider(url))),
  ]);
  services = await Promise.all(providers.map((provider, n) => listService(url, provider, { title: `Proofreading ${n}` })));
  // As the trigger `refuse_closed_agent` does when a closing comes between the read of the service and the end of the batch.
  await database.pool.query(`create function late() returns trigger language plpgsql as $$ begin
      raise exception 'the agent is closed' using errcode = 'check_violation', constraint = 'closed_agent'; end $$;
    create trigger late before insert on orders for each row when (new.brief = '${LATE}') execute function late()`);
});
after(() => market.close());

const place = async (buyer: Provider | undefined, n: number, brief: string, key: string): Promise<Reply> =>
  await call(market.url, 'POST /api/orders', {
    body: { service_id: services[n % services.length], brief },
    headers: { ...buyer?.headers, 'Idempotency-Key': key },
  });

test('R14: of a batch with late failures and repeats, each order is made once, and nobody fails for another', async () => {
  const { database } = market;
  const keys = Array.from({ length: 24 }, () => randomUUID());
  const wanted = keys.flatMap((key, n) => {
    const one = { key, n, buyer: buyers[n % buyers.length], brief: n % 6 === 5 ? LATE : `Brief number ${n}` };
    return n % 4 === 0 ? [one, one] : [one];
  });
  const replies = await Promise.all(wanted.map(({ buyer, n, brief, key }) => place(buyer, n, brief, key)));
  const idsOf = new Map<string, Set<string>>();
  for (const [index, { status, body }] of replies.entries()) {
    const { key, brief } = wanted[index] ?? assert.fail();
    const code = body['code'];
    if (brief === LATE) assert.deepEqual([status, code], [409, 'agent_closed']);
    else if (status === 200) idsOf.set(key, (idsOf.get(key) ?? new Set()).add(body['data'].order_id));
    else assert.deepEqual([status, code], [409, 'idempotency_in_flight']);
    if (status !== 200) continue;
    const { buyer, n } = wanted[index] ?? assert.fail();
    // Nobody is answered with the order of another.
    assert.equal(body['data'].brief, `Brief number ${n}`);
    assert.equal(body['data'].client_agent_id ?? buyer?.id, buyer?.id);
  }
  assert.equal(idsOf.size, keys.filter((_, n) => n % 6 !== 5).length);
  for (const ids of idsOf.values()) assert.equal(ids.size, 1);

  const { rows } =
    await database.pool.query(`select (select count(*)::int from orders) as orders, (select count(*)::int from order_steps) as steps,
    (select count(distinct subject_id)::int from events where type = 'order.created') as announced, (select count(*)::int from events where type = 'order.created') as events`);
  assert.deepEqual(rows, [{ orders: idsOf.size, steps: idsOf.size, announced: idsOf.size, events: idsOf.size }]);

  // A repeat under the key of a refused order begins anew, one of a made order gets its answer.
  await database.pool.query('drop trigger late on orders');
  const again = await Promise.all(wanted.map(({ buyer, n, brief, key }) => place(buyer, n, brief, key)));
  for (const [index, { status, body }] of again.entries()) {
    const { key, brief } = wanted[index] ?? assert.fail();
    if (brief === LATE && status === 409) continue;
    assert.equal(status, 200, JSON.stringify(body));
    if (brief !== LATE) assert.ok(idsOf.get(key)?.has(body['data'].order_id));
  }
  const placed = await database.pool.query('select count(*)::int as n from orders');
  assert.equal(placed.rows[0].n, keys.length);
});
