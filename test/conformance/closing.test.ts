/** Closing an account with something of every kind: the refusal names each, and afterwards no row identifies the person. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { personalColumns } from '../../packages/server/src/features/accounts/closing/index.ts';
import { kindsIn, rowsWith } from '../accounts/closings.ts';
import { type Depositor, deposit, untilMoved, withdraw } from '../earn/depositors.ts';
import { registerAgent } from '../harness/agents.ts';
import { bountyBody, cancelBounty, claimBounty, postBounty, withdrawClaim } from '../harness/bounties.ts';
import { png, upload } from '../harness/files.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { connectProgram } from '../harness/oauth.ts';
import {
  act,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilTransferred,
} from '../harness/orders.ts';
import { asHeaders, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

/** A word in every text that the person writes. */
const MARK = 'Quistgaard';
const VAULT = 'lend_a:usdc';

suite('closing an account', () => {
  let market: TestMarket;
  let person: Buyer;
  let token: string;
  let userId: string;
  let seller: Provider;
  let agent: Awaited<ReturnType<typeof registerAgent>>;
  let customer: Buyer;
  before(async () => {
    market = await openMarket({ ...withChains, PAYOUT_CHANGE_DELAY_HOURS: '0' });
    seller = await openProvider(market.url);
    person = await openBuyer(market, 'base-mainnet');
    customer = await openBuyer(market, 'base-mainnet');
    token = await signInAgain();
    const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
    userId = user.idp_user_id;
  });
  after(() => market.close());

  const signInAgain = () =>
    tokenFor(market.url, {
      email: 'quistgaard@example.com',
      name: `Wilhelmina ${MARK}`,
      twitter_username: 'wquistgaard',
      wallets: [{ chain: 'base', address: person.address }],
    });
  const close = (body: Record<string, unknown> = { close_agents: true }) =>
    call(market.url, 'POST /api/account/close', { key: token, body });
  const asDepositor = (): Depositor => ({
    kind: 'user',
    payer: person.payer as Depositor['payer'],
    funded: 0n,
    credentials: async () => ({ key: token }),
  });

  let bought: string;
  let sold: string;
  let bounty: string;
  let claimed: string;

  /** Gives the person something of every kind: profile, agent, orders on both sides, bounty, claim, deposit, connection, saved search. */
  async function live(): Promise<void> {
    const { url } = market;
    const face = await upload(url, token, { content: png(8, 8), name: `${MARK}.png` });
    const avatar_url = face.body['data'].url;
    const profile = {
      display_name: `W ${MARK}`,
      bio: `${MARK} reads https://quistgaard.example.org.`,
      avatar_url,
      shown_wallets: [person.address],
    };
    await expectCall(url, 200, 'PUT /api/profile', { key: token, body: profile });
    agent = await registerAgent(url, { name: `${MARK} Reviewer`, description: `Made by ${MARK}, who reads twice.` }, { key: token });
    const service = await listService(
      url,
      { ...agent, headers: { authorization: `Bearer ${agent.key}` } },
      { description: `${MARK} reads a text twice and marks every slip.` },
    );
    const theirs = await listService(url, seller);
    const brief = `Written by ${MARK}: proofread the page and explain every change.`;
    const placed = await expectCall(url, 200, 'POST /api/orders', {
      key: token,
      body: { service_id: theirs, brief, reference_urls: ['https://quistgaard.example.org/page'], ...(await signed(person)) },
    });
    bought = placed['order_id'];
    sold = await placeOrder(url, service, customer);
    const wanted = await bountyBody(person, { brief: `${MARK} wants every difference between bank export and ledger explained.` });
    const posted = await call(url, 'POST /api/bounties', { key: token, body: wanted });
    assert.equal(posted.status, 201, JSON.stringify(posted.body));
    bounty = posted.body['data'].id;
    claimed = (await postBounty(url, customer)).id;
    await claimBounty(url, claimed, agent);
    await deposit(url, asDepositor(), VAULT, 150_000_000n);
    await connectProgram(url, token);
    const search = await call(url, 'POST /api/saved-searches', { key: token, body: { name: MARK, services: { category: 'coding' } } });
    assert.ok(search.status < 300, JSON.stringify(search.body));
  }

  test('Y10: a refused closing names orders, bounties, claims, positions and agents, and closes nothing', async () => {
    await live();
    const alone = await close({});
    assert.deepEqual([alone.status, alone.body['code']], [409, 'still_open']);
    assert.ok(kindsIn(alone).includes('agent'));
    const reply = await close();
    assert.equal(reply.status, 409, JSON.stringify(reply.body));
    assert.deepEqual(kindsIn(reply), ['bounty', 'claim', 'earn_position', 'order_bought', 'order_sold']);
    for (const thing of reply.body['data'].open) assert.ok(thing.id && thing.what && thing.next, JSON.stringify(thing));
    const { open, ends } = await expectCall(market.url, 200, 'GET /api/account/closing', { key: token });
    assert.equal(open.length, reply.body['data'].open.length);
    for (const kind of ['agent', 'connection', 'linked_wallet'])
      assert.ok(
        ends.some((one: Envelope) => one['kind'] === kind),
        `${kind} ends`,
      );
    assert.equal((await call(market.url, `GET /api/agents/${agent.id}`)).status, 200);
  });

  test('Y10: an export of an account opens as JSON and as CSV, with every section', async () => {
    const data = await expectCall(market.url, 200, 'GET /api/account/export', { key: token });
    const sections = new Set(data['lines'].map((line: Envelope) => line['section']));
    for (const section of [
      'profile',
      'wallets',
      'agents',
      'services',
      'orders_bought',
      'orders_sold',
      'bounties',
      'claims',
      'earn_positions',
      'connections',
      'files',
    ])
      assert.ok(sections.has(section), `${section} of ${[...sections].join()}`);
    for (const line of data['lines']) JSON.parse(line.record);
    assert.deepEqual(data['more'], []);
    const file = await fetch(`${market.url}/api/account/export?section=orders_bought`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    assert.match(file.headers.get('content-type') ?? '', /^text\/csv/);
    const [names, ...rows] = (await file.text()).trim().split('\r\n');
    assert.match(String(names), /^id,kind,status,service_title,/);
    assert.equal(rows.length, 1);
    const paged = await expectCall(market.url, 200, 'GET /api/account/export?section=orders_sold&limit=1&offset=0', { key: token });
    assert.deepEqual([paged['lines'].length, paged['totals'].orders_sold], [1, 1]);
  });

  /** Ends everything that is open. */
  async function settle(): Promise<void> {
    const { url } = market;
    await payOrder(url, bought, person);
    await expectCall(url, 200, `POST /api/orders/${bought}/messages`, { key: token, body: { content: `${MARK} asks when it will come.` } });
    assert.equal((await deliver(url, bought, seller)).status, 200);
    assert.equal((await act(url, bought, person, 'approve')).status, 200);
    await expectCall(url, 200, `POST /api/orders/${bought}/review`, { key: token, body: { rating: 4, comment: `${MARK} liked it.` } });
    await payOrder(url, sold, customer);
    const headers = { authorization: `Bearer ${agent.key}` };
    await expectCall(url, 200, `POST /api/orders/${sold}/messages`, { key: agent.key, body: { content: `${MARK} is on it.` } });
    assert.equal((await deliver(url, sold, { headers }, { deliverable_url: 'https://example.com/bought-result' })).status, 200);
    assert.equal((await act(url, sold, customer, 'approve')).status, 200);
    for (const [id, who] of [
      [bought, person],
      [sold, customer],
    ] as const)
      await untilTransferred(url, id, who, 'payout');
    assert.equal((await cancelBounty(url, bounty, person)).status, 200);
    assert.equal((await withdrawClaim(url, claimed, agent)).status, 200);
    const back = await withdraw(url, asDepositor(), VAULT, { all: true });
    assert.equal(back.status, 200, JSON.stringify(back.body));
    await untilMoved(url, asDepositor(), back.body['data'].withdrawal_id, ({ status }) => status === 'settled');
  }

  test('Y10: after settling, the account closes, and no row of the database holds a word of the person', async () => {
    await settle();
    // The payout of the sold order is still in the agent’s own wallet.
    const held = await close();
    assert.deepEqual([held.status, kindsIn(held)], [409, ['wallet_balance']], JSON.stringify(held.body));
    const sent = await expectCall(market.url, 200, `POST /api/agents/${agent.id}/wallet/send`, {
      key: token,
      body: { chain: 'base', to: person.address, asset: 'usdc' },
    });
    assert.equal(sent['asset'], 'usdc');
    const reply = await until('the account closes', async () => {
      const tried = await close();
      return tried.status === 200 ? tried : undefined;
    });
    assert.deepEqual([reply.body['data'].status, reply.body['data'].closed_agents], ['closed', [agent.id]]);
    const marks = [MARK, 'wilhelmina', agent.key, agent.name];
    await until('files are removed', async () => ((await rowsWith(market, `${MARK}.png`)).length === 0 ? true : undefined));
    for (const mark of marks) assert.deepEqual(await rowsWith(market, mark), [], `${mark} is gone`);
    // Without an Idempotency-Key the closing call stores no answer; rate-limit rows expire within minutes.
    const ids = (await rowsWith(market, userId)).filter((row) => !row.startsWith('rate_limit_windows'));
    assert.deepEqual(ids, [], 'the id at the identity provider is gone');
    await requireSoundBooks(market);
  });

  test('Y10: after a closing, orders, reviews and figures of the other sides still read well', async () => {
    const { url } = market;
    const theirs = await expectCall(url, 200, `GET /api/orders/${bought}`, { headers: seller.headers });
    assert.deepEqual(
      [theirs['order'].status, theirs['order'].client_name, theirs['order'].quoted_price_usd],
      ['completed', 'A closed account', '10.00'],
    );
    assert.match(theirs['order'].brief, /^Removed/);
    assert.deepEqual([theirs['review'].rating, theirs['review'].comment, theirs['review'].reviewer_name], [4, null, 'A closed account']);
    const mine = await readOrder(url, sold, customer);
    assert.deepEqual([mine.order.status, mine.order.provider_name], ['completed', 'Closed agent']);
    assert.equal(mine.deliverables[0].deliverable_url, 'https://example.com/bought-result', 'what was bought stays');
    const messages = await expectCall(url, 200, `GET /api/orders/${sold}/messages`, {
      headers: { authorization: `Bearer ${agent.key}` },
    }).catch(() => 'refused');
    assert.equal(messages, 'refused', 'the key of a closed agent is dead');
    assert.equal((await call(url, `GET /api/agents/${agent.id}`)).status, 404);
    assert.equal((await call(url, `GET /api/agents/${agent.name.toLowerCase().replaceAll(' ', '-')}`)).status, 404);
    const taken = await call(url, 'POST /api/agents/register', {
      body: { name: agent.name, description: 'Pretends to be the one that closed.' },
    });
    assert.deepEqual([taken.status, taken.body['code']], [409, 'name_taken']);
  });

  test('Y10: a waiting payout keeps the seller’s agent from closing, but not the buyer', async () => {
    const { url } = market;
    const buyer = await openBuyer(market, 'base-mainnet');
    const order = await placeOrder(url, await listService(url, seller), buyer);
    await payOrder(url, order, buyer);
    await deliver(url, order, seller);
    await act(url, order, buyer, 'approve');
    await untilTransferred(url, order, buyer, 'payout');
    const { pool } = market.database;
    const readKinds = async (who: TestWallet, query = '') => {
      const reply = await call(url, `GET /api/account/closing${query}`, { headers: asHeaders(await signed(who)) });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return kindsIn(reply);
    };
    const { reference } = (await pool.query('select reference from payouts where subject_id = $1', [order])).rows[0];
    await pool.query(`update payouts set state = 'parked', reference = null where subject_id = $1`, [order]);
    const [ofSeller, ofBuyer] = [await readKinds(seller.owner, `?agent_id=${seller.id}`), await readKinds(buyer)];
    await pool.query(`update payouts set state = 'confirmed', reference = $2 where subject_id = $1`, [order, reference]);
    assert.ok(ofSeller.includes('payout'));
    assert.deepEqual(ofBuyer, []);
  });

  test('Y10: after a closing, a sign-in with the same identity starts as a new person', async () => {
    const key = await signInAgain();
    const { user, wallets, is_new } = await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    assert.deepEqual([is_new, user.profile.public, wallets.length], [true, false, 1]);
    const orders = await expectCall(market.url, 200, 'GET /api/account/export?section=orders_bought', { key });
    assert.ok(orders['lines'].every((line: Envelope) => !JSON.stringify(line).includes(MARK)));
  });
});

test('Y10: every column that can hold text is listed once in the table of what closing does', async () => {
  const market = await openMarket({ JOBS: 'off' });
  try {
    const { rows } = await market.database.pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and table_name not in (select table_name from information_schema.views where table_schema = 'public')
         and data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY')`,
    );
    const listed = Object.entries(personalColumns).flatMap(([table, columns]) =>
      Object.values(columns).flatMap((names) => names.split(' ').map((column) => `${table}.${column}`)),
    );
    assert.deepEqual(listed.toSorted(), rows.map(({ name }) => name).toSorted());
  } finally {
    await market.close();
  }
});
