/** Statements of an account, or of one order's movements on it, as records and as a file. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agentPayable, platformFee, post, treasury } from '../../packages/server/src/features/ledger/index.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';

const NETWORK = 'base-mainnet';
const ORDERS = ['ord_1700000000000_first', 'ord_1700000000000_second', 'ord_1700000000000_first'];
let market: TestMarket;
let agent: TestAgent;
let admin: string;

/** Two orders with three movements, each 90 to the agent and 10 to the marketplace. */
before(async () => {
  market = await openMarket();
  agent = await registerAgent(market.url);
  admin = await tokenFor(market.url, { email: 'books@example.com', admin: true });
  for (const [index, subjectId] of ORDERS.entries()) {
    const entries = [
      { account: treasury(NETWORK), micros: -100_000_000n },
      { account: agentPayable(NETWORK, agent.id), micros: 90_000_000n },
      { account: platformFee(NETWORK), micros: 10_000_000n },
    ];
    const posting = { kind: 'escrow_released', subjectId, idempotencyKey: `statement:${index}`, entries };
    await market.database.transaction((tx) => post(tx, posting));
  }
});
after(() => market.close());

const statements = () => [
  { path: `/api/agents/${agent.slug}/statement`, key: agent.key, account: 'agent_payable', balances: ['270.00', '90.00'] },
  { path: '/api/admin/statement', key: admin, account: 'platform_fee', balances: ['30.00', '10.00'] },
];

async function read(path: string, key: string): Promise<Envelope> {
  const reply = await call(market.url, `GET ${path as `/${string}`}`, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

test('order_id of a statement selects the lines of that order, with its count and the account’s real balances', async () => {
  for (const { path, key, account, balances } of statements()) {
    assert.equal((await read(path, key))['total'], 3);
    const { data, total, next_cursor } = await read(`${path}?order_id=${ORDERS[0]}`, key);
    assert.deepEqual([total, next_cursor], [2, null]);
    assert.deepEqual(
      data.lines.map((line: Envelope) => [line['subject_id'], line['account'], line['balance_usd']]),
      balances.map((balance) => [ORDERS[0], account, balance]),
    );
    const { data: none, total: noneAtAll } = await read(`${path}?order_id=ord_nobody`, key);
    assert.deepEqual([none.lines, noneAtAll], [[], 0]);
  }
});

test('statement pages of one order contain no lines of another order', async () => {
  for (const { path, key, balances } of statements()) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await read(`${path}?order_id=${ORDERS[0]}&limit=1${more}`, key);
      seen.push(...page['data'].lines.map((line: Envelope) => line['balance_usd']));
      cursor = page['next_cursor'];
    }
    assert.deepEqual(seen, balances);
  }
});

test('the exported statement of one order contains its lines only', async () => {
  for (const { path, key } of statements()) {
    const headers = { accept: 'text/csv', authorization: `Bearer ${key}` };
    const response = await fetch(`${market.url}${path}?order_id=${ORDERS[1]}`, { headers });
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    const rows = (await response.text()).trim().split(/\r?\n/);
    assert.equal(rows.length, 2, rows.join('\n'));
    assert.match(rows[0] ?? '', /subject_id/);
    assert.match(rows[1] ?? '', new RegExp(`${ORDERS[1]}`));
  }
});
