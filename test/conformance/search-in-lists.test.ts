/** `q` on every list: it finds a part of what the caller sees in an entry, and nothing that the caller does not see. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, operationList, toolList } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { hireBare, idOf } from '../harness/bare-transfers.ts';
import { postBounty } from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { untilHandled } from '../harness/events.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

type Route = `GET /${string}`;
type Fields = Readonly<Record<string, string | number>>;

/** Paged lists without `q`, each with its reason. */
const WITHOUT_SEARCH: Readonly<Record<string, string>> = {
  'agents.reputationOrders': 'shows no text',
  'events.list': 'a feed must not leave out an event',
  'account.export': 'takes everything along',
  'x402.discoveryResources': 'a document of the x402 standard',
  'x402.manifest': 'a document of the x402 standard',
  'x402.manifestFile': 'a document of the x402 standard',
  'x402.openApi': 'a document of the OpenAPI standard',
};

const NOWHERE = 'no entry holds these words';
/** Read as an SQL pattern, the first text would match the second, too. */
const [LITERAL, SIMILAR, OTHER] = ['Quince 50%_done', 'Quince 50 is done', 'Medlar'];
/** The same for titles, which may not contain a percent sign. */
const [TITLE_LITERAL, TITLE_SIMILAR, TITLE_OTHER] = ['Quince 50_done', 'Quince 50-done', 'Medlar jam labels'];

let market: TestMarket;
let url: string;
let admin: string;
let owner: TestWallet;
let provider: Provider;
let buyer: Buyer;
let services: readonly string[];
let orders: readonly string[];
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
  admin = await openAdmin(url);
  owner = baseWallet();
  provider = await openProvider(url, 'base-mainnet', owner);
  buyer = await openBuyer(market, 'base-mainnet', 1_000_000_000n);
  services = await inTurn([TITLE_LITERAL, TITLE_SIMILAR, TITLE_OTHER], (title) => listService(url, provider, { title }));
  orders = await inTurn([LITERAL, SIMILAR, OTHER], (words, index) =>
    placeOrder(url, services[index] ?? '', buyer, { brief: `Draw what this says: ${words}.`, allow_portfolio: true }),
  );
  await setOrderStatus(market, orders, 'in_progress');
});
after(() => market?.close());

async function inTurn<T, R>(list: readonly T[], run: (one: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [index, one] of list.entries()) results.push(await run(one, index));
  return results;
}

const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });

async function read(route: Route, fields: Fields, who: CallOptions): Promise<Reply> {
  const reply = await call(url, `${route}${asQuery(fields)}`, who);
  assert.equal(reply.status, 200, `${route} ${JSON.stringify(fields)}: ${JSON.stringify(reply.body)}`);
  return reply;
}

/** Where `data` is not the list itself, one of these fields holds it. */
const LIST_NAMES = ['lines', 'events', 'entries', 'services', 'resources', 'hits'];

function rowsOf({ body }: Reply): Envelope[] {
  const { data } = body;
  const rows = Array.isArray(data) ? data : data[LIST_NAMES.find((name) => Array.isArray(data[name])) ?? ''];
  assert.ok(Array.isArray(rows), JSON.stringify(data));
  return rows;
}

/** Undefined for a list without a total. */
function totalOf({ body }: Reply): number | undefined {
  return body['total'] ?? body['pagination']?.total ?? body['data'].total;
}

const nextCursorOf = ({ body }: Reply): string | null | undefined => body['next_cursor'];

interface Search {
  readonly route: Route;
  readonly who: () => Promise<CallOptions>;
  /** Query fields beside `q`. */
  readonly fields?: Fields;
  readonly literal?: string;
}

/** Requires that `q` takes the text literally: the list holds `literal`, a text that it would match as a pattern, and others. */
async function requireSearch({ route, who, fields = {}, literal = LITERAL }: Search): Promise<void> {
  const find = async (q: string, more: Fields = {}) => await read(route, { ...fields, q, ...more }, await who());
  const requireFound = (found: Reply, count: number, why: string): void => {
    assert.equal(rowsOf(found).length, count, `${route} ${why}: ${JSON.stringify(found.body)}`);
    assert.equal(totalOf(found) ?? count, count, `${route} ${why}`);
  };
  const all = await read(route, fields, await who());
  assert.ok(rowsOf(all).length > 2, `${route} has too few entries: ${JSON.stringify(all.body)}`);
  requireFound(await find('quince 50'), 2, 'narrows');
  requireFound(await find(' QUINCE 50 '), 2, 'ignores case and surrounding space');
  requireFound(await find(literal.slice(-9).toUpperCase()), 1, 'takes % and _ as they are');
  requireFound(await find('\\'), 0, 'takes a backslash as it is');
  requireFound(await find(NOWHERE), 0, 'finds nothing for nonsense');
  assert.equal(rowsOf(await find('')).length, rowsOf(all).length, `${route} lists all for a blank text`);

  const first = await find('quince', { limit: 1 });
  const cursor = nextCursorOf(first);
  if (cursor === undefined) return;
  assert.ok(cursor, `${route} has a second page`);
  const second = await find('quince', { limit: 1, cursor });
  assert.deepEqual([rowsOf(first).length, rowsOf(second).length, nextCursorOf(second)], [1, 1, null], route);
  assert.notDeepEqual(rowsOf(first), rowsOf(second), route);
  assert.equal(totalOf(second) ?? 2, 2, `${route} counts what matches on every page`);
}

/** Requires that `q` finds exactly the entries that hold `text`, where only some do. */
async function requireNarrowed(route: Route, who: CallOptions, text: string): Promise<void> {
  const all = rowsOf(await read(route, {}, who));
  const found = rowsOf(await read(route, { q: text.toUpperCase() }, who));
  const holds = (row: Envelope) => JSON.stringify(row).toLowerCase().includes(text.toLowerCase());
  assert.ok(found.length > 0 && found.length < all.length, `${route} finds ${found.length} of ${all.length} for ${text}`);
  assert.deepEqual(found, all.filter(holds), route);
}

describe('every list of the contract', () => {
  const paging = operationList.filter(
    ({ spec }) => spec.rest.method === 'GET' && spec.effects.kind === 'read' && 'limit' in (spec.input?.query?.shape ?? {}),
  );
  const takesSearch = ({ spec }: NamedOperation) => 'q' in (spec.input?.query?.shape ?? {}) || 'q' in (spec.rest.synonyms ?? {});

  test('every paged list of the contract takes `q`, unless it is named here with a reason', () => {
    assert.deepEqual(
      paging.filter((one) => !takesSearch(one)).map(({ name }) => name),
      Object.keys(WITHOUT_SEARCH),
    );
  });

  test('every list finds nothing for nonsense, and refuses or cuts a `q` of more than 200 characters', async () => {
    for (const operation of paging.filter(takesSearch)) {
      const { accepts } = operation.spec.access;
      const who = accepts.includes('anonymous')
        ? {}
        : accepts.includes('api_key')
          ? { key: provider.key }
          : accepts.includes('wallet')
            ? await by(owner)
            : { key: admin };
      const subject = operation.spec.rest.path.startsWith('/api/orders/')
        ? orders[0]
        : operation.spec.rest.path.startsWith('/api/services/')
          ? services[0]
          : provider.id;
      const route: Route = `GET ${operation.spec.rest.path.replace('{id}', subject ?? '') as `/${string}`}`;
      const found = await read(route, { q: NOWHERE }, who);
      assert.deepEqual(rowsOf(found), [], route);
      assert.equal(totalOf(found) ?? 0, 0, route);
      const long = await call(url, `${route}${asQuery({ q: 'x'.repeat(201) })}`, who);
      assert.ok(long.status === 200 || (long.status === 400 && /q must be at most 200 characters/.test(long.body['error'])), route);
    }
  });

  test('no MCP tool takes `q`: its arguments are those of the specification', () => {
    for (const tool of toolList) assert.ok(!('q' in (tool.definition.inputSchema.properties ?? {})), tool.name);
  });
});

describe('q narrows', () => {
  const asBuyer = () => by(buyer);
  const asProvider = async (): Promise<CallOptions> => ({ key: provider.key });
  const asAdmin = async (): Promise<CallOptions> => ({ key: admin });
  const asNobody = async (): Promise<CallOptions> => ({});

  test('q finds orders by their brief, for both sides', async () => {
    await requireSearch({ route: 'GET /api/orders', who: asBuyer });
    await requireSearch({ route: `GET /api/agents/${provider.slug}/orders`, who: asProvider, fields: { status: 'in_progress' } });
    for (const text of [orders[0] ?? '', provider.name, TITLE_LITERAL])
      assert.ok(rowsOf(await read('GET /api/orders', { q: text.toUpperCase() }, await asBuyer())).length > 0, text);
  });

  test('q finds messages by their text', async () => {
    const path = `/api/orders/${orders[0]}/messages` as const;
    for (const content of [LITERAL, SIMILAR, OTHER])
      await expectCall(url, 200, `POST ${path}`, { ...(await asProvider()), body: { content } });
    await requireSearch({ route: `GET ${path}`, who: asBuyer });
  });

  test('q finds services of an agent by their title, and agents by their description', async () => {
    await requireSearch({ route: `GET /api/agents/${provider.slug}/services`, who: asNobody, literal: TITLE_LITERAL });
    for (const words of [LITERAL, SIMILAR])
      await registerOwnedAgent(url, owner, { description: `Draws fruit on request, for example: ${words}.` });
    await registerOwnedAgent(url, owner);
    await requireSearch({ route: 'GET /api/agents/my', who: () => by(owner) });
    await requireSearch({ route: 'GET /api/leaderboard/agents', who: asNobody });
  });

  test('q finds bounties by their brief', async () => {
    const poster = baseWallet();
    for (const words of [LITERAL, SIMILAR, OTHER]) await postBounty(url, poster, { brief: `Draw a picture of what this says: ${words}.` });
    await requireSearch({ route: 'GET /api/bounties/my', who: () => by(poster) });
  });

  test('q finds bans, entries of the moderation queue and of the operators’ log by their text', async () => {
    const bad = await openProvider(url);
    for (const words of [LITERAL, SIMILAR, OTHER]) {
      const id = await listService(url, bad, { description: `Everything about this and about nothing else: ${words}.` });
      const verdict = { kind: 'service', id, status: 'spam', reason: `Seen before: ${words}` };
      await expectCall(url, 200, 'POST /api/admin/moderation', { key: admin, body: verdict });
      const ban = { kind: 'wallet', value: baseWallet().address, reason: `Sold ${words} twice.` };
      await expectCall(url, 200, 'POST /api/admin/bans', { key: admin, body: ban });
    }
    await requireSearch({ route: 'GET /api/admin/moderation', who: asAdmin });
    await requireSearch({ route: 'GET /api/admin/bans', who: asAdmin });
    const verdicts = await read('GET /api/admin/actions', { q: 'seen BEFORE: quince 50%' }, await asAdmin());
    assert.deepEqual([rowsOf(verdicts).length, totalOf(verdicts)], [1, 1]);
  });

  test('q finds activity and payable services by their title', async () => {
    await requireSearch({ route: 'GET /api/metrics/activity', who: asNobody, fields: { filter: 'service' }, literal: TITLE_LITERAL });
    for (const route of ['GET /api/x402/services', 'GET /api/x402/directory'] as const) {
      const found = rowsOf(await read(route, { q: 'MEDLAR' }, {}));
      assert.ok(found.length > 0 && found.length < rowsOf(await read(route, {}, {})).length, route);
      assert.ok(JSON.stringify(found).includes(TITLE_OTHER), route);
    }
  });

  test('q finds portfolio, reviews, notifications and trending services of completed orders', async () => {
    for (const [index, order] of orders.entries()) {
      assert.equal((await deliver(url, order, provider)).status, 200);
      await setOrderStatus(market, [order], 'completed');
      const comment = `It says: ${[LITERAL, SIMILAR, OTHER][index]}`;
      await expectCall(url, 200, `POST /api/orders/${order}/review`, { ...(await asBuyer()), body: { rating: 5, comment } });
    }
    await requireSearch({ route: `GET /api/agents/${provider.slug}/portfolio`, who: asNobody });
    await untilHandled(market.database.pool);
    // The status was set by hand, so figures count these orders only by hand, too.
    await market.database.pool.query('update counted_orders set kept_orders = 1 where order_id = any($1)', [orders]);
    await until('three services in trending', async () =>
      rowsOf(await read('GET /api/x402/trending', {}, {})).length === 3 ? true : undefined,
    );
    await requireSearch({ route: 'GET /api/x402/trending', who: asNobody, literal: TITLE_LITERAL });
    await requireSearch({ route: `GET /api/agents/${provider.slug}/reviews`, who: asNobody });
    const ofOne = await read(`GET /api/services/${services[0] as string}/reviews`, { q: '50%_' }, {});
    assert.deepEqual([rowsOf(ofOne).length, totalOf(ofOne)], [1, 1]);
    await until('a notification of each delivery', async () => {
      const told = rowsOf(await read('GET /api/notifications', { limit: 100 }, await asBuyer()));
      return orders.every((order) => told.some(({ order_id: id }) => id === order)) ? true : undefined;
    });
    await requireNarrowed('GET /api/notifications', await asBuyer(), orders[1] ?? '');
  });

  test('q finds payments, payouts and statement lines by transaction and by order', async () => {
    const paid = await inTurn([0, 1], async () => {
      const order = await placeOrder(url, services[2] ?? '', buyer);
      const reference = await payOrder(url, order, buyer, 'confirmed');
      assert.equal((await deliver(url, order, provider)).status, 200);
      assert.equal((await act(url, order, buyer, 'approve')).status, 200);
      return { order, reference };
    });
    const [{ order, reference } = { order: '', reference: '' }] = paid;
    // A payout that is still under way changes between two reads.
    await until('two confirmed payouts', async () => {
      const payouts = rowsOf(await read('GET /api/admin/payouts', {}, { key: admin }));
      return payouts.length > 1 && payouts.every(({ state }) => state === 'confirmed') ? true : undefined;
    });
    await requireNarrowed('GET /api/admin/payouts', { key: admin }, order);
    await requireNarrowed(`GET /api/agents/${provider.slug}/payouts`, { key: provider.key }, order);
    await requireNarrowed(`GET /api/agents/${provider.slug}/statement`, { key: provider.key }, order);
    await requireNarrowed('GET /api/admin/statement', { key: admin }, order);
    await requireNarrowed('GET /api/explorer/payments', {}, reference);
    await requireNarrowed('GET /api/explorer/payouts', {}, order);
    await requireNarrowed('GET /api/orders', await by(buyer), reference);
  });
});

describe('q finds no hidden text', () => {
  const RESULT = 'the-secret-result';
  const count = async (route: Route, q: string, who: CallOptions) => {
    const found = await read(route, { q }, who);
    assert.equal(totalOf(found) ?? rowsOf(found).length, rowsOf(found).length);
    return rowsOf(found).length;
  };

  test('q does not find a message of another order', async () => {
    const [one, another] = await inTurn([0, 1], () => placeOrder(url, services[0] ?? '', buyer));
    await setOrderStatus(market, [one ?? '', another ?? ''], 'paid');
    await expectCall(url, 200, `POST /api/orders/${one}/messages`, { key: provider.key, body: { content: 'Only in the first.' } });
    assert.equal(await count(`GET /api/orders/${one as string}/messages`, 'in the FIRST', await by(buyer)), 1);
    assert.equal(await count(`GET /api/orders/${another as string}/messages`, 'in the FIRST', await by(buyer)), 0);
    assert.equal(await count('GET /api/orders', 'in the FIRST', await by(buyer)), 0);
  });

  test('q finds no result or message that is withheld while the payment is contestable', async () => {
    const payer = await openBuyer(market, 'base-mainnet');
    const reference = await payer.payer.pay(payer.payer.chain.treasury, 11_000_000n);
    const hired = await hireBare(url, services[0] ?? '', 'base-mainnet', reference, 'A logo for a bakery.');
    const [id, token] = [idOf(hired), hired.body['data'].read_token as string];
    await expectCall(url, 200, `POST /api/orders/${id}/deliver`, { key: provider.key, body: { deliverables: [{ content: RESULT }] } });
    await expectCall(url, 200, `POST /api/orders/${id}/messages`, { key: provider.key, body: { content: `Here it is: ${RESULT}` } });
    const messages = `GET /api/orders/${id}/messages` as const;
    assert.equal(await count(messages, RESULT, { key: token }), 0);
    assert.equal(await count(messages, provider.name, { key: token }), 1);
    assert.equal(await count(messages, RESULT, { key: provider.key }), 1);
    assert.equal(await count(`GET /api/orders/${id}/requests`, RESULT, { key: token }), 0);
    await expectCall(url, 200, `POST /api/orders/${id}/confirm-payment`, await by(payer));
    assert.equal(await count(messages, RESULT, await by(payer)), 1);
    assert.equal(await count('GET /api/orders', RESULT, await by(payer)), 0);

    assert.equal(await count('GET /api/explorer/hires', reference, {}), 1);
    for (const list of ['payments', 'hires'])
      assert.equal(await count(`GET /api/explorer/${list}` as Route, payer.address, {}), 0, 'shown shortened, so not found in full');
  });

  test('q of a provider does not find the account of a buyer, which providers do not see', async () => {
    const account = await tokenFor(url, { email: 'hidden@example.com' });
    const body = { service_id: services[0], brief: 'Proofread the page of a hidden account.' };
    const { user_id: user } = await expectCall(url, 200, 'POST /api/orders', { key: account, body });
    assert.ok(user);
    assert.equal(await count(`GET /api/agents/${provider.slug}/orders`, 'a HIDDEN account', { key: provider.key }), 1);
    for (const hidden of [user, 'hidden@example.com'])
      assert.equal(await count(`GET /api/agents/${provider.slug}/orders`, hidden, { key: provider.key }), 0);
  });
});
