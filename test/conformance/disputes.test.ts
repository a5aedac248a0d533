/** Disputes: permissions, limits, deadlines, and one winner among parallel endings. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { disputeOrder, headersOf, type Opponents, openAdmin, openOpponents, readDispute, rule, stateCase } from '../harness/disputes.ts';
import { png, upload } from '../harness/files.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver, payOrder, placeOrder, readOrder } from '../harness/orders.ts';
import { baseWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
let opponents: Opponents;
before(async () => {
  market = await openMarket(withOwnChains);
  opponents = await openOpponents(market);
});
after(() => market.close());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const outcome = ({ status, body }: Reply): string => (status === 200 ? '200' : `${status} ${body['code']}`);

describe('permissions in a dispute', () => {
  let order: string;
  let people: Record<string, Record<string, string>>;
  before(async () => {
    order = await disputeOrder(market.url, opponents);
    people = {
      buyer: await headersOf(opponents.buyer),
      'provider by key': opponents.provider.headers,
      'provider’s owner': await headersOf(opponents.provider.owner),
      administrator: bearer(opponents.admin),
      'a stranger’s wallet': await headersOf(baseWallet()),
      'a stranger’s agent': bearer((await registerAgent(market.url)).key),
      'a stranger’s account': bearer(await tokenFor(market.url, { email: 'stranger@example.com' })),
      nobody: {},
    };
  });

  const matrix: readonly { what: string; ask: (headers: Record<string, string>) => Promise<Reply>; answers: Record<string, string> }[] = [
    {
      what: 'read the dispute',
      ask: (headers) => readDispute(market.url, order, headers),
      answers: {
        buyer: '200',
        'provider by key': '200',
        'provider’s owner': '200',
        administrator: '200',
        'a stranger’s wallet': '403 not_your_order',
        'a stranger’s agent': '403 not_your_order',
        'a stranger’s account': '403 not_your_order',
        nobody: '401 unauthenticated',
      },
    },
    {
      what: 'state a case in the dispute',
      ask: (headers) => stateCase(market.url, order, headers),
      answers: {
        buyer: '200',
        'provider by key': '200',
        'provider’s owner': '200',
        administrator: '403 wrong_side',
        'a stranger’s wallet': '403 not_your_order',
        'a stranger’s agent': '403 not_your_order',
        'a stranger’s account': '403 not_your_order',
        nobody: '401 unauthenticated',
      },
    },
    ...(['list', 'rule'] as const).map((what) => ({
      what: `${what} disputes as an operator`,
      ask: (headers: Record<string, string>) =>
        what === 'list'
          ? call(market.url, 'GET /api/admin/disputes', { headers })
          : call(market.url, 'POST /api/admin/orders/ord_1700000000000_nonenonen/rule', {
              headers,
              body: { ruling: 'release', reason: 'The work is as agreed.' },
            }),
      answers: {
        buyer: '403 wrong_credential',
        'provider by key': '403 wrong_credential',
        'provider’s owner': '403 wrong_credential',
        administrator: what === 'list' ? '200' : '404 order_not_found',
        'a stranger’s wallet': '403 wrong_credential',
        'a stranger’s agent': '403 wrong_credential',
        'a stranger’s account': '403 wrong_credential',
        nobody: '401 unauthenticated',
      },
    })),
  ];
  for (const { what, ask, answers } of matrix) {
    test(`only the permitted callers may ${what}`, async () => {
      const seen: Record<string, string> = {};
      for (const [person, headers] of Object.entries(people)) seen[person] = outcome(await ask(headers));
      assert.deepEqual(seen, answers);
    });
  }

  test('an administrator who is buyer or provider, by account or linked wallet, may not rule a dispute', async () => {
    const { url } = market;
    for (const party of [opponents.buyer, opponents.provider.owner]) {
      const token = await tokenFor(url, {
        email: `party-${party.address.slice(2, 8)}@example.com`,
        admin: true,
        wallets: [{ chain: 'base', address: party.address }],
      });
      await expectCall(url, 200, 'POST /api/auth/user', { key: token });
      assert.equal(outcome(await rule(url, order, token, { ruling: 'release' })), '403 conflict_of_interest');
    }
    assert.equal((await readOrder(url, order, opponents.buyer)).order.status, 'disputed');
  });

  test('an unknown order and an undisputed order have different error codes', async () => {
    const { url } = market;
    const headers = await headersOf(opponents.buyer);
    assert.equal(outcome(await readDispute(url, 'ord_1700000000000_nonenonen', headers)), '404 order_not_found');
    assert.equal(outcome(await stateCase(url, 'nonsense', headers)), '404 order_not_found');
    const peaceful = await placeOrder(url, opponents.service, opponents.buyer);
    assert.equal(outcome(await readDispute(url, peaceful, headers)), '404 dispute_not_found');
    assert.equal(outcome(await stateCase(url, peaceful, headers)), '404 dispute_not_found');
    assert.equal(outcome(await rule(url, peaceful, opponents.admin, { ruling: 'refund' })), '400 illegal_transition');
  });
});

describe('limits of statements and rulings', () => {
  let order: string;
  before(async () => {
    order = await disputeOrder(market.url, opponents);
  });

  const badStatements: readonly [string, Record<string, unknown>][] = [
    ['no text', {}],
    ['a blank text', { statement: ' \n ' }],
    ['4001 characters', { statement: 'x'.repeat(4001) }],
    ['11 pieces of evidence', { statement: 'See.', evidence_urls: Array.from({ length: 11 }, (_, i) => `https://example.com/${i}`) }],
    ['a script as evidence', { statement: 'See.', evidence_urls: ['javascript:alert(1)'] }],
  ];
  for (const [what, body] of badStatements) {
    test(`a dispute statement with ${what} is refused`, async () => {
      assert.equal(outcome(await stateCase(market.url, order, opponents.provider.headers, body)), '400 invalid_input');
    });
  }

  const reason = 'x'.repeat(10);
  const badRulings: readonly [string, Record<string, unknown>][] = [
    ['no value of ruling', { reason }],
    ['an unknown value of ruling', { ruling: 'keep', reason }],
    ['9 characters of reason', { ruling: 'release', reason: 'x'.repeat(9) }],
    ['2001 characters of reason', { ruling: 'release', reason: 'x'.repeat(2001) }],
    ['a split without refund_usd', { ruling: 'split', reason }],
    ['a split of 0', { ruling: 'split', refund_usd: '0.00', reason }],
    ['a split of the whole price', { ruling: 'split', refund_usd: '10.00', reason }],
    ['a split of more than the price', { ruling: 'split', refund_usd: '10.000001', reason }],
    ['a negative split', { ruling: 'split', refund_usd: '-1.00', reason }],
    ['a split in scientific notation', { ruling: 'split', refund_usd: '1e0', reason }],
    ['a split finer than a millionth', { ruling: 'split', refund_usd: 4.1234567, reason }],
    ['more than six decimals', { ruling: 'split', refund_usd: '0.0000001', reason }],
    ['an amount beside a release', { ruling: 'release', refund_usd: '4.00', reason }],
    ['an amount beside a refund', { ruling: 'refund', refund_usd: '10.00', reason }],
  ];
  for (const [what, body] of badRulings) {
    test(`a dispute ruling with ${what} is refused`, async () => {
      const reply = await call(market.url, `POST /api/admin/orders/${order}/rule`, { key: opponents.admin, body });
      assert.equal(outcome(reply), '400 invalid_input', JSON.stringify(reply.body));
    });
  }

  test('refused statements and rulings leave the dispute unchanged', async () => {
    const { data } = (await readDispute(market.url, order, opponents.provider.headers)).body;
    assert.deepEqual([data.dispute.state, data.statements, data.money.held_usd], ['open', [], '10.00']);
  });

  test('a split ruling may leave one micro-USDC to either side', async () => {
    assert.equal(outcome(await rule(market.url, order, opponents.admin, { ruling: 'split', refund_usd: '9.999999' })), '200');
    const { money } = (await readDispute(market.url, order, opponents.provider.headers)).body['data'];
    assert.deepEqual([money.refunded_usd, money.released_usd, money.held_usd], ['9.999999', '0.000001', '0.00']);
  });

  test('each side of a dispute makes at most 20 statements, without using up the other side’s', async () => {
    const { url } = market;
    const crowded = await disputeOrder(url, opponents);
    const answers = await Promise.all(Array.from({ length: 24 }, () => stateCase(url, crowded, opponents.provider.headers)));
    const counts = Map.groupBy(answers, outcome);
    assert.deepEqual([counts.get('200')?.length, counts.get('400 too_many_statements')?.length], [20, 4]);
    assert.equal(outcome(await stateCase(url, crowded, await headersOf(opponents.buyer))), '200');
    const { statements, may_state } = (await readDispute(url, crowded, opponents.provider.headers)).body['data'];
    assert.deepEqual([statements.length, may_state], [21, false]);
  });
});

describe('evidence', () => {
  test('evidence of an author opens for the other side by link; another person’s upload is refused', async () => {
    const { url } = market;
    const order = await disputeOrder(url, opponents);
    const picture = png(4, 4);
    const { url: file } = (await upload(url, opponents.provider.key, { content: picture, type: 'image/png', name: 'proof.png' })).body[
      'data'
    ];
    const stolen = await stateCase(url, order, await headersOf(opponents.buyer), { statement: 'Mine.', evidence_urls: [file] });
    assert.equal(outcome(stolen), '400 foreign_upload');
    const evidence_urls = [file, 'https://example.com/elsewhere'];
    assert.equal(outcome(await stateCase(url, order, opponents.provider.headers, { statement: 'Proof.', evidence_urls })), '200');
    const { statements } = (await readDispute(url, order, await headersOf(opponents.buyer))).body['data'];
    const [own, elsewhere] = statements[0].evidence_urls;
    assert.equal(elsewhere, 'https://example.com/elsewhere');
    const opened = await fetch(own);
    assert.equal(opened.status, 200);
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), Buffer.from(picture));
  });

  test('statements of a dispute name side and author, never an account id, oldest first', async () => {
    const { url } = market;
    const order = await disputeOrder(url, opponents);
    await stateCase(url, order, await headersOf(opponents.buyer), { statement: 'First.' });
    await stateCase(url, order, opponents.provider.headers, { statement: 'Second.' });
    const { statements } = (await readDispute(url, order, bearer(opponents.admin))).body['data'];
    const { address } = opponents.buyer;
    assert.deepEqual(
      statements.map((said: Record<string, unknown>) => [said['side'], said['author_name'], said['statement'], Object.keys(said).length]),
      [
        ['buyer', `${address.slice(0, 4)}...${address.slice(-4)}`, 'First.', 6],
        ['provider', opponents.provider.name, 'Second.', 6],
      ],
    );
  });
});

describe('the end of a dispute', () => {
  test('the event of a ruling precedes the event of its outcome, and the ruling is in the admin log', async () => {
    const { url, database } = market;
    const order = await disputeOrder(url, opponents);
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'refund', reason: 'Nothing usable came.' })), '200');
    const { rows } = await database.pool.query('select type, data from events where subject_id = $1 and type like $2 order by id', [
      order,
      'order.%',
    ]);
    assert.deepEqual(rows.slice(-2), [
      { type: 'order.dispute_ruled', data: { ruling: 'refund', reason: 'Nothing usable came.' } },
      { type: 'order.cancelled', data: { previous_status: 'disputed' } },
    ]);
    const [action, ...others] = (await call(url, `GET /api/admin/actions?subject=${order}`, { key: opponents.admin })).body['data'];
    assert.deepEqual(others, []);
    assert.deepEqual([action.action, action.reason, action.details.ruling], ['dispute.ruled', 'Nothing usable came.', 'refund']);
    assert.match(action.admin, /^user:/);
  });

  test('after a ruling no ruling, statement, withdrawal or refund is possible', async () => {
    const { url } = market;
    const order = await disputeOrder(url, opponents);
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'release' })), '200');
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'refund' })), '400 illegal_transition');
    assert.equal(outcome(await stateCase(url, order, opponents.provider.headers)), '400 dispute_closed');
    assert.equal(outcome(await act(url, order, opponents.buyer, 'withdraw_dispute')), '400 illegal_transition');
    assert.equal(outcome(await act(url, order, opponents.provider.owner, 'refund')), '400 illegal_transition');
  });

  test('no ruling is possible while the payment is reverted', async () => {
    const { url, database } = market;
    const order = await disputeOrder(url, opponents);
    // Dated 8 days back, because the reorganisation watcher rechecks 7 days.
    const mark = (finality: string) =>
      database.pool.query(
        `update chain_receipts r set finality = $1, recorded_at = recorded_at - interval '8 days'
         from payment_claims c where c.subject_id = $2 and r.reference = c.reference`,
        [finality, order],
      );
    await mark('gone');
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'refund' })), '400 payment_reverted');
    await mark('final');
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'refund' })), '200');
  });

  test('of two rulings, a refund and a withdrawal of a dispute in parallel one wins, and the books match it', async () => {
    const { url, database } = market;
    const second = await openAdmin(url, 'second@example.com');
    const orders: string[] = [];
    for (let round = 0; round < 8; round++) orders.push(await disputeOrder(url, opponents));
    for (const order of orders) {
      const endings = await Promise.all([
        rule(url, order, opponents.admin, { ruling: 'release' }),
        rule(url, order, second, { ruling: 'split', refund_usd: '5.00' }),
        act(url, order, opponents.provider.owner, 'refund'),
        act(url, order, opponents.buyer, 'withdraw_dispute'),
      ]);
      const winners = ['ruled', 'ruled', 'refunded', 'withdrawn'].filter((_name, index) => endings[index]?.status === 200);
      const losers = endings.filter(({ status }) => status !== 200).map(outcome);
      // A provider may also refund what was delivered: after a withdrawal that is a second, legal step.
      if (winners.includes('withdrawn') && winners.includes('refunded')) winners.shift();
      assert.equal(winners.length, 1, JSON.stringify(endings.map(outcome)));
      assert.deepEqual([...new Set(losers)], ['400 illegal_transition']);
      const { rows } = await database.pool.query(
        `select d.state, (select count(*)::int from settlements s where s.order_id = d.order_id) as settlements,
                (select count(*)::int from payouts p where p.subject_id = d.order_id and p.purpose = 'refund') as refunds
         from disputes d where d.order_id = $1`,
        [order],
      );
      assert.equal(rows.length, 1);
      assert.ok(rows[0].settlements <= 1 && rows[0].refunds <= 1, JSON.stringify(rows));
    }
  });
});

describe('the operators’ dispute list', () => {
  test('the operators’ dispute list is sorted by due date, counts statements, marks overdue ones, and pages without gaps', async () => {
    const { url } = market;
    const list = async (query = ''): Promise<Reply> => await call(url, `GET /api/admin/disputes${query}`, { key: opponents.admin });
    const early = await disputeOrder(url, opponents);
    await advanceClock(url, 3 * 24 * 3600 + 60);
    assert.equal(outcome(await stateCase(url, early, opponents.provider.headers)), '400 evidence_time_over');
    const late = await disputeOrder(url, opponents);
    await stateCase(url, late, opponents.provider.headers);
    await advanceClock(url, 4 * 24 * 3600);

    const { data: all, total } = (await list('?limit=100')).body;
    assert.equal(all.length, total);
    const found = new Map<string, Record<string, unknown>>(all.map((row: Record<string, unknown>) => [row['order_id'], row]));
    assert.deepEqual(
      [early, late].map((id) => {
        const row = found.get(id);
        return [
          row?.['state'],
          row?.['overdue'],
          row?.['buyer_statements'],
          row?.['provider_statements'],
          row?.['price_usd'],
          row?.['service_title'],
        ];
      }),
      [
        ['open', true, 0, 0, '10.00', 'Careful proofreading'],
        ['open', false, 0, 1, '10.00', 'Careful proofreading'],
      ],
    );
    const due = all.map((row: { ruling_due: string }) => row.ruling_due);
    assert.deepEqual(due, [...due].sort());

    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Reply = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.body['data'].map((row: { id: string }) => row.id));
      cursor = page.body['next_cursor'];
    }
    assert.deepEqual(
      paged,
      all.map((row: { id: string }) => row.id),
    );

    const states = new Set((await list('?state=ruled&limit=100')).body['data'].map((row: { state: string }) => row.state));
    assert.deepEqual([...states], ['ruled']);
    assert.equal(outcome(await list('?state=lost')), '400 invalid_input');
    assert.equal(outcome(await list('?cursor=bm9uc2Vuc2U')), '400 invalid_cursor');
  });

  test('the operators’ dispute list shows the deadlines from the start: three days for statements, seven for a ruling', async () => {
    const { url } = market;
    const order = await placeOrder(url, opponents.service, opponents.buyer);
    await payOrder(url, order, opponents.buyer);
    await deliver(url, order, opponents.provider);
    await act(url, order, opponents.buyer, 'dispute');
    const { dispute } = await readOrder(url, order, opponents.buyer);
    const at = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`);
    assert.equal(at(dispute.evidence_until) - at(dispute.opened_at), 3 * 24 * 3_600_000);
    assert.equal(at(dispute.ruling_due) - at(dispute.opened_at), 7 * 24 * 3_600_000);
  });
});
