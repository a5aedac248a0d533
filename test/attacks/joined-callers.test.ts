/** Agents, wallets and both together place orders that share a transaction, under one text as Idempotency-Key. Each stays itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { baseWallet, signed, solanaWallet } from '../harness/people.ts';

interface Placement {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  /** Who bought: the columns of the order. Null: it is refused inside of the shared transaction. */
  readonly buyer: { readonly client_agent_id: string | null; readonly client_wallet: string | null } | null;
}

const KEY = 'one-text-for-everybody';

let market: TestMarket;
let provider: Provider;
let services: readonly string[];
let placements: readonly Placement[];

before(async () => {
  market = await openMarket();
  const { url } = market;
  provider = await openProvider(url);
  const [fixed, quoted] = await Promise.all([
    listService(url, provider, { title: 'Proofreading for all' }),
    listService(url, provider, { title: 'Proofreading by quote', price_type: 'quote' }),
  ]);
  services = [fixed, quoted];
  const rounds = await Promise.all(Array.from({ length: 6 }, (_, round) => placementsOf(url, round)));
  placements = rounds.flat();
});
after(() => market.close());

async function placementsOf(url: string, round: number): Promise<readonly Placement[]> {
  const [agent, wallet, stranger] = [await openProvider(url), round % 2 === 0 ? baseWallet() : solanaWallet(), baseWallet()];
  const both = await openProvider(url);
  const [byWallet, byBoth] = await Promise.all([signed(wallet), signed(both.owner)]);
  const service = services[round % services.length];
  const bodyOf = (name: string) => ({
    service_id: service,
    brief: `Brief of the ${name} number ${round}`,
    allow_portfolio: round % 3 === 0,
  });
  const place = (name: string, more: Omit<Placement, 'name' | 'body'>, body = {}): Placement => ({
    name,
    ...more,
    body: { ...bodyOf(name), ...body },
  });
  return [
    place('agent', { headers: agent.headers, buyer: { client_agent_id: agent.id, client_wallet: null } }),
    place('stranger', { headers: agent.headers, buyer: null }, { client_wallet: stranger.address }),
    place('wallet', { headers: {}, buyer: { client_agent_id: null, client_wallet: wallet.address } }, byWallet),
    place('pair', { headers: both.headers, buyer: { client_agent_id: both.id, client_wallet: both.owner.address } }, byBoth),
  ];
}

const placeAll = async (keyOf: (placement: Placement) => string | undefined): Promise<readonly Reply[]> =>
  await Promise.all(
    placements.map(async (placement) => {
      const key = keyOf(placement);
      const headers = { ...placement.headers, ...(key !== undefined && { 'Idempotency-Key': key }) };
      return await call(market.url, 'POST /api/orders', { body: placement.body, headers });
    }),
  );

test('orders of different callers that share a transaction have their own buyers, readers and stored answers', async () => {
  const { pool } = market.database;
  // The stranger shows the key of the agent, so it would be a repeat with another body.
  const replies = await placeAll(({ buyer }) => (buyer === null ? undefined : KEY));
  const ids: string[] = [];
  for (const [n, { status, body }] of replies.entries()) {
    const placement = placements[n] ?? assert.fail();
    if (placement.buyer === null) {
      assert.deepEqual([status, body['code']], [401, 'wallet_mismatch']);
      continue;
    }
    assert.equal(status, 200, `${placement.name} ${JSON.stringify(body)}`);
    const { order_id: id, brief } = body['data'];
    assert.equal(brief, placement.body['brief']);
    ids.push(id);
    const { rows } = await pool.query(
      `select brief, service_id, allow_portfolio, user_id, client_agent_id, client_wallet,
              (select count(*)::int from order_steps s where s.order_id = o.id) as steps,
              (select array_agg(r.reader order by r.reader collate "C") from events e join event_readers r on r.event_id = e.id
               where e.subject_id = o.id) as readers
       from orders o where id = $1`,
      [id],
    );
    const { service_id, allow_portfolio } = placement.body;
    const { client_agent_id: agent, client_wallet: wallet } = placement.buyer;
    const readers = [
      agent === null ? [] : `agent:${agent}`,
      `agent:${provider.id}`,
      `order:${id}`,
      wallet === null ? [] : `wallet:${wallet}`,
    ];
    assert.deepEqual(rows, [
      { brief, service_id, allow_portfolio, user_id: null, ...placement.buyer, steps: 1, readers: readers.flat().sort() },
    ]);
  }
  const { rows } = await pool.query('select count(*)::int as orders, count(distinct xmin::text)::int as transactions from orders');
  assert.equal(rows[0].orders, ids.length);
  assert.ok(rows[0].transactions < ids.length, `${rows[0].transactions} transactions`);

  const again = await placeAll(({ buyer }) => (buyer === null ? undefined : KEY));
  assert.deepEqual(
    again.flatMap(({ status, body }) => (status === 200 ? [body['data'].order_id] : [])),
    ids,
  );
});
