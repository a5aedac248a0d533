/** Saved searches: owners, allowed filters, and which new matches notify. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@market/contract';
import { savedSearchCorruptions } from '../discovery/corruptions.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { postBounty } from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { agentBody, agreed, baseWallet, solanaWallet, tokenFor } from '../harness/people.ts';
import { byWallet, lookAgain, saveSearch, trySave, untilLooked } from '../harness/saved-searches.ts';
import { createService } from '../harness/services.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
let seller: TestAgent;
before(async () => {
  market = await openMarket();
  seller = await registerOwnedAgent(market.url, baseWallet());
});
after(() => market.close());

const list = async (who: CallOptions) => (await expectCall(market.url, 200, 'GET /api/saved-searches', who)) as Envelope[];
const remove = (who: CallOptions, id: string) => call(market.url, `DELETE /api/saved-searches/${id}`, who);
const noticesOf = async (who: CallOptions): Promise<Envelope[]> =>
  ((await expectCall(market.url, 200, 'GET /api/notifications', who)) as Envelope[]).filter(({ type }) => type === 'saved_search_matched');
const look = () => lookAgain(market.url, market.database.pool);
const offer = (title: string, more: object = {}) => createService(market.url, seller, { title, ...more });
let people = 0;
const account = async (): Promise<CallOptions> => ({ key: await tokenFor(market.url, { email: `searcher${people++}@example.com` }) });

describe('saving', () => {
  test('account, wallet and agent save, list and remove their own searches; a record has filters, name and the address of the list', async () => {
    const { url } = market;
    const agent = await registerOwnedAgent(url, baseWallet());
    for (const who of [await account(), await byWallet(baseWallet()), await byWallet(solanaWallet()), { key: agent.key }]) {
      const services = await saveSearch(url, who, { services: { q: ' ledger   audits ', price: '5-25', category: 'analytics' } });
      assert.equal(operations.savedSearches.save.output.data.safeParse(services).success, true, JSON.stringify(services));
      const { id, created_at: _created, ...shown } = services;
      assert.match(id, /^ssr_\d+_[a-z0-9]{9}$/);
      assert.deepEqual(shown, {
        name: 'ledger audits, analytics, 5 to 25 USD',
        list: 'services',
        services: { q: 'ledger audits', price: '5-25', category: 'analytics' },
        bounties: null,
        url: `${url}/browse?search=ledger+audits&category=analytics&price=5-25`,
        matches: 0,
        last_match_at: null,
      });
      const bounties = await saveSearch(url, who, { name: 'Well paid', bounties: { min_budget: 100, search: 'audit' } });
      assert.deepEqual(
        [bounties['name'], bounties['bounties'], bounties['services']],
        ['Well paid', { min_budget: '100.00', search: 'audit' }, null],
      );
      assert.equal(bounties['url'], `${url}/bounties?min_budget=100.00&search=audit`);
      assert.deepEqual(await list(who), [bounties, services]);
      const gone = await remove(who, id);
      assert.deepEqual([gone.status, gone.body['data']], [200, { id, removed: true }]);
      assert.equal((await remove(who, id)).body['code'], 'saved_search_not_found');
      assert.deepEqual(await list(who), [bounties]);
    }
  });

  test('the same filters in another spelling are the same saved search; a new name replaces the old one', async () => {
    const who = await byWallet(baseWallet());
    const first = await saveSearch(market.url, who, { bounties: { search: 'Logo sketches', min_budget: '25' } });
    const again = await saveSearch(market.url, who, { bounties: { min_budget: 25.0, search: ' logo  SKETCHES' } });
    assert.deepEqual(again, first);
    const named = await saveSearch(market.url, who, { name: 'Logos', bounties: { search: 'logo sketches', min_budget: '25.00' } });
    assert.deepEqual(named, { ...first, name: 'Logos' });
    await saveSearch(market.url, who, { services: { q: 'logo sketches' } });
    assert.equal((await list(who)).length, 2);
  });

  test('a saved search has one list and only filters that new listings can match; an owner has at most 20', async () => {
    const who = await byWallet(baseWallet());
    const refused: readonly (readonly [object, RegExp])[] = [
      [{}, /one list: services or bounties/],
      [{ name: 'Nothing' }, /one list: services or bounties/],
      [{ services: {}, bounties: {} }, /one list: services or bounties/],
      [{ services: { rating: '4' } }, /Unknown field: rating/],
      [{ services: { sortBy: 'newest' } }, /Unknown field: sortBy/],
      [{ services: { category: 'gardening' } }, /./],
      [{ services: { price: '3-4' } }, /./],
      [{ services: 'all' }, /./],
      [{ bounties: { status: 'completed' } }, /Unknown field: status/],
      [{ bounties: { limit: 5 } }, /Unknown field: limit/],
      [{ bounties: { min_budget: '-1' } }, /min_budget must be an amount/],
      [{ name: 'x'.repeat(81), services: {} }, /name must be 1-80/],
      [{ name: ' \u200b ', services: {} }, /name must be 1-80/],
    ];
    for (const [body, words] of refused) {
      const reply = await trySave(market.url, who, body);
      assert.equal(`${reply.status} ${reply.body['code']}`, '400 invalid_input', JSON.stringify(body));
      assert.match(JSON.stringify(reply.body), words);
    }
    assert.deepEqual(await list(who), []);
    for (let n = 0; n < 20; n++) await saveSearch(market.url, who, { services: { q: `word ${n}` } });
    const reply = await trySave(market.url, who, { services: { q: 'one more' } });
    assert.deepEqual([reply.status, reply.body['code']], [400, 'too_many_saved_searches']);
    await saveSearch(market.url, who, { services: { q: 'word 7' } });
    assert.equal((await list(who)).length, 20);
  });

  test('without credentials nobody saves, lists or removes a search', async () => {
    assert.equal((await trySave(market.url, {}, { services: {} })).status, 401);
    assert.equal((await call(market.url, 'GET /api/saved-searches')).status, 401);
    assert.equal((await remove({}, 'ssr_1700000000000_k3v9x1q7a')).status, 401);
  });

  test('others neither see nor remove a saved search; an account has those of its linked wallets', async () => {
    const wallet = baseWallet();
    const mine = await saveSearch(market.url, await byWallet(wallet), { services: { q: 'mine alone' } });
    const stranger = await account();
    const agent = await registerOwnedAgent(market.url, wallet);
    for (const who of [stranger, await byWallet(solanaWallet()), { key: agent.key }]) {
      assert.deepEqual(await list(who), []);
      assert.deepEqual((await remove(who, mine['id'])).body['code'], 'saved_search_not_found');
    }
    const owner = await account();
    await expectCall(market.url, 200, 'POST /api/auth/wallets', {
      ...owner,
      body: await agreed(market.url, wallet, { action: 'link_wallet' }, owner.key),
    });
    assert.deepEqual(await list(owner), [mine]);
    assert.equal((await remove(owner, mine['id'])).status, 200);
    assert.deepEqual(await list(await byWallet(wallet)), []);
  });

  test('names and words of a saved search come back as text, without control and direction characters', async () => {
    const who = await byWallet(baseWallet());
    const q = `<script>alert(1)</script> ' or 1=1 -- \u0007 & | ! ( ) : * \\ "`;
    const saved = await saveSearch(market.url, who, { name: `<b>\u202eBold\u0007</b>`, services: { q } });
    assert.equal(saved['name'], '<b>Bold</b>');
    assert.equal(saved['services'].q, `<script>alert(1)</script> ' or 1=1 -- & | ! ( ) : * \\ "`);
    assert.equal(new URL(saved['url']).searchParams.get('search'), saved['services'].q);
    const long = await saveSearch(market.url, who, { services: { q: '👩‍🚀'.repeat(100) } });
    assert.ok(long['name'].length <= 80);
    await look();
    assert.equal((await list(who)).length, 2);
  });
});

describe('new matches', () => {
  test('the owner of a saved search gets one notification of new matches, with count, newest titles and list; others get none', async () => {
    const { url } = market;
    await offer('Quillwork before the search');
    const [who, agent] = [await account(), await registerOwnedAgent(url, baseWallet())];
    const search = { name: 'quills', services: { q: 'quillwork', category: 'coding' } };
    const saved = await saveSearch(url, who, search);
    await saveSearch(url, { key: agent.key }, { services: { q: 'quillwork' } });
    await look();
    assert.deepEqual(await noticesOf(who), []);

    await offer('Quillwork one');
    await offer('Weaving, not with feathers');
    await offer('Quillwork elsewhere', { category: 'analytics' });
    await look();
    const [first, ...none] = await noticesOf(who);
    assert.ok(first);
    assert.deepEqual(none, []);
    assert.deepEqual(
      [first['title'], first['body'], first['link'], first['order_id']],
      ['New service', '1 new service matches “quills”: “Quillwork one”.', '/browse?search=quillwork&category=coding', null],
    );
    const [ofAgent] = await noticesOf({ key: agent.key });
    assert.match(ofAgent?.['body'], /^2 new services match “quillwork”: “Quillwork elsewhere”, “Quillwork one”\.$/);
    assert.equal(ofAgent?.['agent_id'], agent.id);

    for (const word of ['two', 'three', 'four', 'five']) await offer(`Quillwork ${word}`);
    await look();
    await look();
    const [second, ...earlier] = await noticesOf(who);
    assert.equal(earlier.length, 1);
    assert.equal(second?.['body'], '4 new services match “quills”. The newest: “Quillwork five”, “Quillwork four”, “Quillwork three”.');
    const [row] = await list(who);
    assert.deepEqual([row?.['id'], row?.['matches']], [saved['id'], 5]);
    // The search is marked just before its notice is written, maybe in the second before.
    const apart = Date.parse(second?.['created_at']) - Date.parse(row?.['last_match_at']);
    assert.ok(apart >= 0 && apart <= 1_000, `${apart} ms`);

    const events = (await expectCall(url, 200, `GET /api/events${asQuery({ types: 'saved_search.matched' })}`, who)) as Envelope[];
    assert.deepEqual(
      events.map(({ data }) => [data.saved_search_id, data.count, data.titles.length, data.url]),
      [
        [saved['id'], 1, 1, saved['url']],
        [saved['id'], 4, 3, saved['url']],
      ],
    );
    const others = await expectCall(url, 200, 'GET /api/events', await account());
    assert.deepEqual(others, []);
  });

  test('a saved search matches by each filter exactly as the list does', async () => {
    const { url } = market;
    const who = await byWallet(baseWallet());
    const searches = [
      {},
      { q: 'stonecutting' },
      { q: 'stonecuting' },
      { q: 'stonecutting', category: 'image_gen' },
      { q: 'stonecutting', price: '1-5' },
      { q: 'stonecutting', price: '100-' },
      { q: 'stonecutting', price_type: 'weekly' },
      { q: 'stonecutting', delivery: '24' },
      { q: 'stonecutting', chain: 'solana' },
      { q: 'stonecutting', chain: 'base' },
      { q: 'stonecutting', answering: '1' },
      { q: '!!!' },
    ];
    for (const services of searches) await saveSearch(url, who, { services });
    await offer('Stonecutting by hand', { category: 'image_gen', price_usd: '2.00', turnaround_hours: 12 });
    await offer('Stonecutting by machine', { category: 'coding', price_usd: '150.00', turnaround_hours: 72 });
    await offer('Stonecutting every week', { category: 'coding', price_type: 'weekly', price_usd: '20.00' });
    await look();
    const rows = await list(who);
    for (const services of searches) {
      const row = rows.find((one) => sameFilters(one['services'], services));
      const { data } = (await call(url, `GET /api/search/services${asQuery({ ...services, sortBy: 'newest', limit: 50 })}`)).body;
      const expected = data.hits.filter(({ service }: Envelope) => service.title.startsWith('Stonecutting'));
      assert.equal(row?.['matches'], expected.length, JSON.stringify(services));
    }
    assert.deepEqual(rows.map((row) => row['matches']).filter((count) => count > 0).length, 9);
  });

  test('an agent that saved a search of bounties is notified of open ones that fit', async () => {
    const { url } = market;
    const agent = await registerOwnedAgent(url, baseWallet());
    await saveSearch(url, { key: agent.key }, { bounties: { search: 'thatching', min_budget: '5', category: 'analytics' } });
    await postBounty(url, baseWallet(), { title: 'Thatching of a small roof' });
    await postBounty(url, baseWallet(), { title: 'Thatching, badly paid', budget_usd: '2.00' });
    await postBounty(url, baseWallet(), { title: 'Thatching drawn', category: 'image_gen' });
    await look();
    const [first, ...none] = await noticesOf({ key: agent.key });
    assert.deepEqual(none, []);
    assert.equal(first?.['body'], '1 new bounty matches “thatching, analytics, at least 5.00 USD”: “Thatching of a small roof”.');
    assert.equal(first?.['link'], '/bounties?category=analytics&min_budget=5.00&search=thatching');
  });

  test('a listing younger than a minute waits for the next look of a saved search, and is not lost', async () => {
    const { url, database } = market;
    const who = await byWallet(baseWallet());
    await saveSearch(url, who, { services: { q: 'coopering' } });
    await offer('Coopering of barrels');
    await database.pool.query('update saved_searches set next_look_at = market_now()');
    // Moving the clock wakes the jobs. A round that is about to end may reschedule the job, so try again.
    await until('a look at once', async () => {
      await database.pool.query(`update jobs set run_at = market_now() where kind = 'saved_searches.look'`);
      await advanceClock(url, 1);
      await sleep(1_000);
      const { rowCount } = await database.pool.query('select 1 from saved_searches where next_look_at <= market_now() limit 1');
      return rowCount === 0 ? true : undefined;
    });
    await untilLooked(database.pool);
    assert.deepEqual(await noticesOf(who), []);
    await look();
    await look();
    assert.equal((await noticesOf(who)).length, 1);
  });

  test('a hidden service does not match a saved search', async () => {
    const { url } = market;
    const who = await byWallet(baseWallet());
    await saveSearch(url, who, { services: { q: 'falconry' } });
    const { id } = await offer('Falconry for beginners');
    const verdict = { kind: 'service', id, status: 'spam', reason: 'Birds are not for sale.' };
    await expectCall(url, 200, 'POST /api/admin/moderation', { key: await openAdmin(url), body: verdict });
    await look();
    assert.deepEqual(await noticesOf(who), []);
  });

  test('a service that becomes public later matches saved searches once, at that time, with its words', async () => {
    const { url, database } = market;
    const [who, owner] = [await byWallet(baseWallet()), await account()];
    await saveSearch(url, who, { services: { q: 'lacemaking' } });
    await saveSearch(url, who, { services: { q: 'marquetry' } });
    const registered = await expectCall(url, 201, 'POST /api/agents/register', { body: agentBody() });
    const unowned = { id: registered['agent_id'], key: registered['api_key'] };
    await createService(url, unowned, { title: 'Lacemaking by hand' });
    const flagged = await offer('Marquetry with guaranteed returns');
    assert.equal(flagged['moderation_status'], 'review');
    await look();
    await look();
    assert.deepEqual(await noticesOf(who), []);

    const linked = await expectCall(url, 200, 'POST /api/agents/link', { ...owner, body: { api_key: unowned.key } });
    const verdict = { kind: 'service', id: flagged['id'], status: 'ok' };
    await expectCall(url, 200, 'POST /api/admin/moderation', { key: await openAdmin(url), body: verdict });
    await look();
    const heard = async () => (await noticesOf(who)).map(({ body }) => /“(\w+)”:/.exec(body)?.[1]).sort();
    assert.deepEqual(await heard(), ['lacemaking', 'marquetry']);
    const { rows } = await database.pool.query(`select word from search_words where word in ('lacemaking', 'marquetry') order by word`);
    assert.deepEqual(
      rows.map(({ word }) => word),
      ['lacemaking', 'marquetry'],
    );

    for (const active of [false, true])
      await expectCall(url, 200, `PATCH /api/agents/${unowned.id}/active`, { key: linked['api_key'], body: { active } });
    await look();
    assert.deepEqual(await heard(), ['lacemaking', 'marquetry'], 'off and on again is nothing new');
  });

  test('a saved search does not notify banned people or agents off the market, also not later of earlier matches', async () => {
    const { url } = market;
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(url, baseWallet());
    const agentOfBanned = await registerOwnedAgent(url, wallet);
    for (const who of [await byWallet(wallet), { key: agent.key }, { key: agentOfBanned.key }])
      await saveSearch(url, who, { services: { q: 'glassblowing' } });
    const setActive = (active: boolean) =>
      expectCall(url, 200, `PATCH /api/agents/${agent.id}/active`, { key: agent.key, body: { active } });
    await setActive(false);
    const admin = { key: await openAdmin(url) };
    await expectCall(url, 200, 'POST /api/admin/bans', { ...admin, body: { kind: 'wallet', value: wallet.address, reason: 'Fraud.' } });
    await offer('Glassblowing meanwhile');
    await look();
    await expectCall(url, 200, `DELETE /api/admin/bans/wallet/${wallet.address}`, { key: await openAdmin(url) });
    await setActive(true);
    await look();
    for (const who of [await byWallet(wallet), { key: agent.key }, { key: agentOfBanned.key }]) assert.deepEqual(await noticesOf(who), []);
    await offer('Glassblowing afterwards');
    await look();
    for (const who of [await byWallet(wallet), { key: agent.key }, { key: agentOfBanned.key }])
      assert.match((await noticesOf(who))[0]?.['body'], /^1 new service matches “glassblowing”: “Glassblowing afterwards”/);
  });

  test('a removed saved search sends nothing, and its earlier notifications stay', async () => {
    const who = await byWallet(baseWallet());
    const { id } = await saveSearch(market.url, who, { services: { q: 'bookbinding' } });
    await offer('Bookbinding in leather');
    await look();
    assert.equal((await remove(who, id)).status, 200);
    await offer('Bookbinding in cloth');
    await look();
    assert.equal((await noticesOf(who)).length, 1);
  });

  test('one round looks at every saved search that is due, however many there are', async () => {
    const { pool } = market.database;
    await pool.query(
      `insert into saved_searches (id, owner, list, name, filters, looked_until, next_look_at)
       select 'ssr_many_' || n, 'wallet:many' || n, 'bounties', 'Many', '{}', market_now(), market_now()
       from generate_series(1, 1001) n`,
    );
    await look();
    const { rows } = await pool.query(`select count(distinct xmin::text)::int as looks from saved_searches where id like 'ssr_many_%'`);
    assert.equal(rows[0].looks, 1_001);
    await pool.query(`delete from saved_searches where id like 'ssr_many_%'`);
  });

  test('the audit of saved searches finds nothing, and names each corruption', async () => {
    assert.ok(!(await findBroken(market.database)).broken.includes('V14'));
    for (const { what, breaks, sql } of savedSearchCorruptions) {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, what);
      assert.ok(broken.includes(breaks), what);
    }
  });
});

function sameFilters(one: object, other: object): boolean {
  const text = (filters: object) => JSON.stringify(Object.entries(filters).sort());
  return text(one ?? {}) === text(other);
}
