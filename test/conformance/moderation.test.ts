/** Moderation: hidden entries disappear at once, banned callers are refused everywhere, and every action is logged. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { openAdmin } from '../harness/disputes.ts';
import { asQuery, type CallOptions, call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

let market: TestMarket;
let admin: string;
before(async () => {
  market = await openMarket();
  admin = await openAdmin(market.url);
});
after(() => market.close());

const outcome = ({ status, body }: Reply): string => (status < 300 ? String(status) : `${status} ${body['code']}`);
const headersOf = async (wallet: TestWallet): Promise<Record<string, string>> => asHeaders(await signed(wallet));
const asAdmin = async (route: `${string} /${string}`, body?: unknown): Promise<Reply> =>
  await call(market.url, route, { key: admin, ...(body !== undefined && { body }) });
const setVerdict = async (kind: string, id: string, status: string, reason?: string): Promise<Reply> =>
  await asAdmin('POST /api/admin/moderation', { kind, id, status, ...(reason !== undefined && { reason }) });
const ban = async (kind: string, value: string, reason = 'Sold stolen pictures.'): Promise<Reply> =>
  await asAdmin('POST /api/admin/bans', { kind, value, reason });
const unban = async (kind: string, value: string): Promise<Reply> =>
  await asAdmin(`DELETE /api/admin/bans/${kind}/${encodeURIComponent(value)}`);

/** An agent with a public service, and where strangers find them. */
async function openShop(owner: TestWallet = baseWallet(), options: { readonly token?: string } = {}) {
  const { url } = market;
  const agent = options.token === undefined ? await registerOwnedAgent(url, owner) : await registerAgent(url, {}, { key: options.token });
  const service = await createService(url, agent, { category: 'custom', title: `Shop of ${agent.name}` });
  const ids = async (route: `GET /${string}`): Promise<string[]> =>
    (await call(url, route)).body['data'].map((row: { id: string }) => row.id);
  return {
    agent,
    owner,
    service: service['id'] as string,
    /** The lists and pages in which strangers still find it. */
    async seen(): Promise<readonly string[]> {
      const places = {
        browse: (await ids(`GET /api/agents${asQuery({ search: agent.name })}`)).includes(agent.id),
        profile: (await call(url, `GET /api/agents/${agent.slug}`)).status === 200,
        search: (await ids(`GET /api/services${asQuery({ search: agent.name })}`)).includes(service['id']),
        service: (await call(url, `GET /api/services/${service['id']}`)).status === 200,
        page: (await call(url, `GET /api/services/by-slug/${agent.slug}/${service['slug']}`)).status === 200,
        portfolio: (await call(url, `GET /api/agents/${agent.slug}/portfolio`)).status === 200,
        reviews: (await call(url, `GET /api/agents/${agent.slug}/reviews`)).status === 200,
        services: (await call(url, `GET /api/agents/${agent.slug}/services`)).status === 200,
        hire: outcome(await hire(service['id'])) === '200',
      };
      return Object.entries(places).flatMap(([place, found]) => (found ? [place] : []));
    },
  };
}

async function hire(serviceId: string, options?: CallOptions): Promise<Reply> {
  const body = { service_id: serviceId, brief: 'Read the attached page and explain every change.' };
  if (options !== undefined) return await call(market.url, 'POST /api/orders', { ...options, body });
  return await call(market.url, 'POST /api/orders', { body: { ...body, ...(await signed(baseWallet())) } });
}

const OF_AGENT = ['portfolio', 'reviews', 'services'];
const EVERYWHERE = ['browse', 'profile', 'search', 'service', 'page', ...OF_AGENT, 'hire'];

test('only administrators may moderate', async () => {
  const { url } = market;
  const { agent, owner } = await openShop();
  const routes: readonly (readonly [`${string} /${string}`, unknown?])[] = [
    ['GET /api/admin/moderation'],
    ['POST /api/admin/moderation', { kind: 'agent', id: agent.id, status: 'spam' }],
    ['GET /api/admin/bans'],
    ['POST /api/admin/bans', { kind: 'wallet', value: owner.address, reason: 'Because.' }],
    [`DELETE /api/admin/bans/wallet/${owner.address}`],
    ['GET /api/admin/actions'],
  ];
  const strangers = {
    nobody: {},
    account: { authorization: `Bearer ${await tokenFor(url, { email: 'somebody@example.com' })}` },
    wallet: await headersOf(owner),
    agent: { authorization: `Bearer ${agent.key}` },
  };
  for (const [who, headers] of Object.entries(strangers)) {
    for (const [route, body] of routes) {
      const reply = await call(url, route, { headers, ...(body !== undefined && { body }) });
      assert.equal(outcome(reply), who === 'nobody' ? '401 unauthenticated' : '403 wrong_credential', `${who}: ${route}`);
    }
  }
});

describe('verdicts', () => {
  for (const status of ['review', 'spam'] as const) {
    test(`an agent ruled ${status} is hidden everywhere at once and cannot be hired; ok restores it`, async () => {
      const shop = await openShop();
      assert.deepEqual(await shop.seen(), EVERYWHERE);
      assert.equal(outcome(await setVerdict('agent', shop.agent.id, status, 'Asks for seed phrases.')), '200');
      assert.deepEqual(await shop.seen(), []);
      assert.equal(outcome(await hire(shop.service)), '403 agent_not_hireable');
      assert.equal(outcome(await setVerdict('agent', shop.agent.id, 'ok')), '200');
      assert.deepEqual(await shop.seen(), EVERYWHERE);
    });
  }

  test('hiding a service leaves its agent visible and updates the agent’s service count', async () => {
    const { url } = market;
    const shop = await openShop();
    await setVerdict('service', shop.service, 'spam', 'Stolen pictures.');
    assert.deepEqual(await shop.seen(), ['browse', 'profile', ...OF_AGENT]);
    assert.equal(outcome(await hire(shop.service)), '403 agent_not_hireable');
    let counted: number | undefined;
    for (let look = 0; look < 100 && counted !== 0; look++) {
      counted = (await expectCall(url, 200, `GET /api/agents/${shop.agent.id}`))['stats'].services_count;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(counted, 0);
  });

  test('owner and operators still see hidden entries, and the owner sees the reason', async () => {
    const { url } = market;
    const shop = await openShop();
    await setVerdict('agent', shop.agent.id, 'spam', 'Asks for seed phrases.');
    const me = await expectCall(url, 200, 'GET /api/agents/me', { key: shop.agent.key });
    assert.deepEqual(me['moderation'], { status: 'spam', reason: 'Asks for seed phrases.' });
    for (const headers of [await headersOf(shop.owner), { authorization: `Bearer ${admin}` }]) {
      assert.equal(outcome(await call(url, `GET /api/agents/${shop.agent.id}`, { headers })), '200');
      assert.equal(outcome(await call(url, `GET /api/services/${shop.service}`, { headers })), '200');
    }
  });

  test('a clean edit by the owner clears the verdict review, but not spam', async () => {
    const { url } = market;
    for (const [status, expected] of [
      ['review', EVERYWHERE],
      ['spam', []],
    ] as const) {
      const shop = await openShop();
      await setVerdict('agent', shop.agent.id, status);
      await setVerdict('service', shop.service, status);
      const edit = { description: 'Does what it says, in plain words, with reasons for every step.' };
      await expectCall(url, 200, 'PATCH /api/agents/me', { key: shop.agent.key, body: edit });
      await expectCall(url, 200, `PATCH /api/services/${shop.service}`, { key: shop.agent.key, body: edit });
      assert.deepEqual(await shop.seen(), expected);
    }
  });

  test('an owner’s parallel edit cannot lift a verdict of spam', async () => {
    const { url } = market;
    const shop = await openShop();
    await setVerdict('agent', shop.agent.id, 'review');
    const edits = Array.from({ length: 6 }, (_, number) =>
      call(url, 'PATCH /api/agents/me', { key: shop.agent.key, body: { description: `Honest work and plain words, number ${number}.` } }),
    );
    await Promise.all([...edits.slice(0, 3), setVerdict('agent', shop.agent.id, 'spam'), ...edits.slice(3)]);
    const me = await expectCall(url, 200, 'GET /api/agents/me', { key: shop.agent.key });
    assert.equal(me['moderation'].status, 'spam');
  });

  test('a verdict makes one event and one admin log entry with its reason; repeating it changes nothing', async () => {
    const { database } = market;
    const shop = await openShop();
    for (let time = 0; time < 2; time++) assert.equal(outcome(await setVerdict('agent', shop.agent.id, 'spam', 'Gibberish.')), '200');
    const { rows } = await database.pool.query('select data, context from events where type = $1 and subject_id = $2', [
      'agent.moderated',
      shop.agent.id,
    ]);
    assert.deepEqual(rows, [
      {
        data: { agent_id: shop.agent.id, title: shop.agent.name, status: 'spam', reason: 'Gibberish.' },
        context: { previous_status: 'ok', owner_wallet: shop.owner.address, owner_user_id: null },
      },
    ]);
    const { data, total } = (await asAdmin(`GET /api/admin/actions?subject=${shop.agent.id}`)).body;
    assert.equal(total, 1);
    assert.deepEqual([data[0].action, data[0].reason, data[0].details], ['agent.moderated', 'Gibberish.', { from: 'ok', to: 'spam' }]);
  });

  test('moderating an unknown subject is 404; invalid kinds, states and reasons are 400', async () => {
    assert.equal(outcome(await setVerdict('agent', 'nobody', 'spam')), '404 agent_not_found');
    assert.equal(outcome(await setVerdict('service', 'svc_1700000000000_nonenonen', 'spam')), '404 service_not_found');
    assert.equal(outcome(await setVerdict('service', 'ext_1700000000000_nonenonen', 'spam')), '404 service_not_found');
    assert.equal(outcome(await setVerdict('order', 'ord_1700000000000_nonenonen', 'spam')), '400 invalid_input');
    assert.equal(outcome(await setVerdict('agent', 'nobody', 'gone')), '400 invalid_input');
    assert.equal(outcome(await setVerdict('agent', 'nobody', 'spam', 'x'.repeat(501))), '400 invalid_input');
  });

  test('the moderation queue lists everything not ok, newest first, by kind and state, and pages without gaps', async () => {
    const queue = async (query: string): Promise<Reply> => await asAdmin(`GET /api/admin/moderation?${query}`);
    const shops = [await openShop(), await openShop(), await openShop()];
    for (const shop of shops) {
      await setVerdict('agent', shop.agent.id, 'review');
      await setVerdict('service', shop.service, 'spam');
    }
    const { data: all, total } = (await queue('limit=100')).body;
    assert.equal(all.length, total);
    const times = all.map((row: { created_at: string }) => row.created_at);
    assert.deepEqual(times, [...times].sort().reverse());
    const found = new Set(all.map((row: { id: string }) => row.id));
    for (const { agent, service } of shops) assert.ok(found.has(agent.id) && found.has(service));
    const onlyServices = (await queue('kind=service&status=spam&limit=100')).body['data'];
    assert.ok(onlyServices.length >= 3);
    assert.ok(
      onlyServices.every(
        (row: { kind: string; moderation: { status: string } }) => row.kind === 'service' && row.moderation.status === 'spam',
      ),
    );
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await queue(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.body['data'].map((row: { id: string }) => row.id));
      cursor = page.body['next_cursor'];
    }
    assert.deepEqual(
      paged,
      all.map((row: { id: string }) => row.id),
    );
    assert.equal(outcome(await queue('cursor=bm9uc2Vuc2U')), '400 invalid_cursor');
  });
});

describe('bans', () => {
  test('a banned wallet is refused by every call that uses it, reads included, until the ban is lifted', async () => {
    const { url } = market;
    const shop = await openShop();
    const other = await openShop();
    const headers = await headersOf(shop.owner);
    const attempts = async (): Promise<string[]> => [
      outcome(await call(url, 'GET /api/auth/whoami', { headers })),
      outcome(await call(url, 'GET /api/orders', { headers })),
      outcome(await call(url, 'GET /api/agents', { headers })),
      outcome(await hire(other.service, { headers })),
      outcome(await call(url, 'GET /api/agents/me', { key: shop.agent.key })),
      outcome(await hire(other.service, { key: shop.agent.key })),
    ];
    assert.deepEqual(new Set(await attempts()), new Set(['200']));
    assert.equal(outcome(await ban('wallet', shop.owner.address.toLowerCase())), '200');
    assert.deepEqual(new Set(await attempts()), new Set(['403 banned']));
    assert.equal(outcome(await unban('wallet', shop.owner.address)), '200');
    assert.deepEqual(new Set(await attempts()), new Set(['200']));
  });

  test('the services of a banned owner are hidden and cannot be hired until the ban is lifted', async () => {
    const shop = await openShop();
    await ban('wallet', shop.owner.address);
    assert.deepEqual(await shop.seen(), []);
    assert.equal(outcome(await hire(shop.service)), '403 agent_not_hireable');
    await unban('wallet', shop.owner.address);
    assert.deepEqual(await shop.seen(), EVERYWHERE);
  });

  const persons = [
    { kind: 'idp', of: (person: Person) => person.userId },
    { kind: 'email', of: (person: Person) => person.email.toUpperCase() },
    { kind: 'twitter', of: (person: Person) => `@${person.twitter.toUpperCase()}` },
    { kind: 'wallet', of: (person: Person) => person.wallets[0]?.address ?? '' },
  ] as const;

  interface Person {
    readonly userId: string;
    readonly email: string;
    readonly twitter: string;
    readonly token: string;
    readonly wallets: readonly TestWallet[];
  }

  let people = 0;
  async function openPerson(): Promise<Person> {
    const { url } = market;
    people += 1;
    const wallets = [baseWallet(), solanaWallet()];
    const [email, twitter] = [`person${people}@example.com`, `person_${people}`];
    const token = await tokenFor(url, {
      email,
      twitter_username: twitter,
      wallets: wallets.map(({ chain, address }) => ({ chain, address })),
    });
    const { user } = await expectCall(url, 200, 'POST /api/auth/user', { key: token });
    return { userId: user.idp_user_id, email, twitter, token, wallets };
  }

  for (const { kind, of } of persons) {
    test(`a person banned by ${kind} is refused by account, wallets and agent keys, and their services are hidden`, async () => {
      const { url } = market;
      const person = await openPerson();
      const [first, second] = person.wallets as [TestWallet, TestWallet];
      const shops = [await openShop(first, { token: person.token }), await openShop(second)];
      assert.equal(outcome(await ban(kind, of(person))), '200');
      const entrances: CallOptions[] = [
        { key: person.token },
        { headers: await headersOf(first) },
        { headers: await headersOf(second) },
        ...shops.map(({ agent }) => ({ key: agent.key })),
      ];
      for (const entrance of entrances) assert.equal(outcome(await call(url, 'GET /api/auth/whoami', entrance)), '403 banned');
      for (const shop of shops) assert.deepEqual(await shop.seen(), []);
      assert.equal(outcome(await unban(kind, of(person))), '200');
      for (const entrance of entrances) assert.equal(outcome(await call(url, 'GET /api/auth/whoami', entrance)), '200');
      for (const shop of shops) assert.deepEqual(await shop.seen(), EVERYWHERE);
    });
  }

  test('an agent that gets a banned owner is hidden at once', async () => {
    const { database } = market;
    const shop = await openShop();
    const banned = baseWallet();
    await ban('wallet', banned.address);
    await database.pool.query('update agents set owner_wallet = $1 where id = $2', [banned.address, shop.agent.id]);
    assert.deepEqual(await shop.seen(), []);
  });

  test('bans and new agents created in parallel do not miss each other', async () => {
    const { url, database } = market;
    for (let round = 0; round < 10; round++) {
      const owner = baseWallet();
      const proof = await signed(owner);
      const registrations = Array.from({ length: 3 }, (_, number) =>
        call(url, 'POST /api/agents/register', {
          body: {
            name: `Racing ${letter(round)}${letter(number)} shop`,
            description: `Runs round ${round}, lane ${number}.`,
            owner_wallet: owner.address,
            ...proof,
          },
        }),
      );
      await Promise.all([...registrations, ban('wallet', owner.address)]);
      const { rows } = await database.pool.query('select id from agents where owner_wallet = $1 and not owner_banned', [owner.address]);
      assert.deepEqual(rows, []);
    }
  });

  test('an administrator cannot ban themselves by any of their identities, nor the address they call from', async () => {
    const { url, database } = market;
    const wallet = solanaWallet();
    const token = await tokenFor(url, {
      email: 'careful@example.com',
      twitter_username: 'careful',
      admin: true,
      wallets: [{ chain: 'solana', address: wallet.address }],
    });
    const { user } = await expectCall(url, 200, 'POST /api/auth/user', { key: token });
    for (const [kind, value] of [
      ['idp', user.idp_user_id],
      ['email', 'Careful@example.com'],
      ['twitter', 'careful'],
      ['wallet', wallet.address],
      ['ip', '127.0.0.1'],
    ]) {
      const reply = await call(url, 'POST /api/admin/bans', { key: token, body: { kind, value, reason: 'A slip of the hand.' } });
      assert.equal(outcome(reply), '400 cannot_ban_yourself', kind);
      const { rowCount } = await database.pool.query('select 1 from banned_identities where kind = $1 and reason = $2', [
        kind,
        'A slip of the hand.',
      ]);
      assert.equal(rowCount, 0);
    }
  });

  test('the identity of a ban is normalised and validated by kind, and an unknown ban cannot be lifted', async () => {
    const { address } = baseWallet();
    assert.equal((await ban('wallet', address.toLowerCase())).body['data'].value, address);
    assert.equal((await ban('email', ' Bad.Actor@Example.COM ')).body['data'].value, 'bad.actor@example.com');
    assert.equal((await ban('twitter', '@BadActor')).body['data'].value, 'badactor');
    assert.equal((await ban('ip', '2001:DB8:0:1::17')).body['data'].value, '2001:db8:0:1::/64');
    assert.equal((await ban('ip', '::ffff:192.0.2.9')).body['data'].value, '192.0.2.9');
    assert.equal(outcome(await unban('ip', '2001:db8:0:1::/64')), '200');
    for (const [kind, value] of [
      ['wallet', '0x1234'],
      ['email', 'nobody'],
      ['twitter', 'two words'],
      ['ip', 'localhost'],
      ['ip', '10.0.0.0/8'],
      ['idp', 'with space'],
    ] as const) {
      assert.equal(outcome(await ban(kind, value)), '400 invalid_identity', `${kind} ${value}`);
    }
    assert.equal(outcome(await ban('phone', '123')), '400 invalid_input');
    assert.equal(outcome(await ban('wallet', baseWallet().address, 'x')), '400 invalid_input');
    assert.equal(outcome(await unban('wallet', baseWallet().address)), '404 ban_not_found');
  });

  test('the ban list and the admin log page without gaps, newest first', async () => {
    for (let number = 0; number < 5; number++) await ban('email', `list${number}@example.com`);
    for (const route of ['/api/admin/bans', '/api/admin/actions'] as const) {
      const { data: all, total } = (await asAdmin(`GET ${route}?limit=500`)).body;
      assert.equal(all.length, total);
      const paged: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await asAdmin(`GET ${route}?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
        paged.push(...page.body['data']);
        cursor = page.body['next_cursor'];
      }
      assert.deepEqual(paged, all);
    }
    const { data } = (await asAdmin('GET /api/admin/bans?kind=email&limit=1')).body;
    assert.equal(data[0].value, 'list4@example.com');
    const { data: actions } = (await asAdmin(`GET /api/admin/actions?subject=${encodeURIComponent('email:list4@example.com')}`)).body;
    assert.deepEqual([actions.length, actions[0].action, actions[0].reason], [1, 'banned', 'Sold stolen pictures.']);
  });

  test('the admin log is append-only in the database', async () => {
    const { database } = market;
    await ban('email', 'recorded@example.com');
    for (const statement of [`update admin_actions set reason = 'none'`, 'delete from admin_actions']) {
      await assert.rejects(database.pool.query(statement), /append-only/);
    }
  });
});

function letter(number: number): string {
  return String.fromCharCode(97 + number);
}
