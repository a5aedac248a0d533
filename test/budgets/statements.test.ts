import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deposit, openDepositor, registerDeposit, sendDeposit, withdraw } from '../earn/depositors.ts';
import { allowPayer } from '../harness/agents.ts';
import { BOUNTY, claimBounty, payBounty, postBounty, readBounty, tryAccept, tryClaim } from '../harness/bounties.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  BRIEF,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
} from '../harness/orders.ts';
import { asHeaders, openSession, signed } from '../harness/people.ts';
import { openStaker, payStake, stakeClaim, tryClaimWith } from '../harness/stakes.ts';
import { recordStatements, type Statement, type StatementLog, withoutTransactionsOf } from '../harness/statements.ts';
import { IDLE_STATEMENTS_PER_SECOND, requestBudgets, STATEMENTS_AFTER_AN_ORDER } from './budgets.ts';

/** Background work of the process, independent of requests. */
const BACKGROUND =
  /^with ended as|from x402_payments where state in \('settling', 'unknown'\) order by|select "id" from "outgoing_intents" where "state" in|^with lease as|from event_queue|seal_ledger|chain_cursors|from "(?:chain_receipts|x402_payments|wallet_movements|saved_searches|earn_\w+|creator_fee_\w+)"|webhook_queue where|as "isAbandoned"|as escrow_micros|"treasury_readings"/;
/** Transactions of their own: the chain watcher stores receipts, a job ends with its work. */
const OF_THE_BACKGROUND = /as l \(reference, place\)|^delete from "jobs" where "id" = \$1 and "lease_number"/;
/** From their second use on, statements are prepared. */
const WARM_UP = 2;
const IDLE_SECONDS = 30;
const CROWD = 60;

let market: TestMarket;
let log: StatementLog;
let provider: Provider;
let customer: Provider;
let buyer: Buyer;
let serviceId: string;

before(async () => {
  market = await openMarket(withChains);
  [provider, customer] = await Promise.all([openProvider(market.url), openProvider(market.url)]);
  buyer = await openBuyer(market as never, 'base-mainnet');
  serviceId = await listService(market.url, provider, { price_type: 'quote' });
  log = recordStatements(market.database.pool);
});

after(async () => {
  log?.stop();
  await market?.close();
});

const place = () => call(market.url, 'POST /api/orders', { body: { service_id: serviceId, brief: BRIEF }, headers: customer.headers });
const idOf = ({ status, body }: Reply): string => {
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'].order_id ?? body['data'].id;
};
const quote = (id: string) => call(market.url, `POST /api/orders/${id}/quote`, { body: { price_usd: '5.00' }, headers: provider.headers });

function describeAll(statements: readonly Statement[]): string {
  return statements.map(({ text, pipelined }) => `${pipelined ? '+ ' : ''}${text.slice(0, 120)}`).join('\n');
}

/** Counts the statements of one request, after followers have handled earlier events. A read has no transaction: all of it counts. */
async function measure(
  t: TestContext,
  operation: keyof typeof requestBudgets,
  request: () => Promise<Reply>,
  transactions = 1,
): Promise<void> {
  await untilHandled(market.database.pool);
  log.take();
  const { status, body } = await request();
  const asked = withoutTransactionsOf(log.take(), OF_THE_BACKGROUND).filter(({ text }) => !BACKGROUND.test(text));
  // Jobs started by the commit may run before the answer arrives, so count up to the last commit.
  const commits = asked.flatMap(({ text }, n) => (text === 'commit' ? [n] : []));
  const statements = transactions === 0 ? asked : asked.slice(0, (commits[transactions - 1] ?? -1) + 1);
  assert.ok(status === 200 || status === 201, JSON.stringify(body));
  const used = { roundTrips: statements.filter(({ pipelined }) => !pipelined).length, statements: statements.length };
  const budget = requestBudgets[operation];
  t.diagnostic(`${operation}: ${used.roundTrips} round trips, ${used.statements} statements`);
  const isWithin = used.roundTrips <= budget.roundTrips && used.statements <= budget.statements;
  assert.ok(isWithin, `${operation} used ${JSON.stringify(used)} of ${JSON.stringify(budget)}:\n${describeAll(statements)}`);
}

async function untilPaidOut(pool: TestMarket['database']['pool']): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { rowCount } = await pool.query(`select 1 from payouts where state not in ('confirmed', 'void') limit 1`);
    if (rowCount === 0) return;
    await sleep(100);
  }
  throw new Error('A payout is still open after 30 seconds.');
}

/** Waits until the chain watcher has found this transfer, and follows no other. */
async function untilWatched(pool: TestMarket['database']['pool'], reference: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { rows } = await pool.query(
      `select count(*) filter (where finality <> 'final')::int as open, count(*) filter (where reference = $1)::int as found from chain_receipts`,
      [reference],
    );
    if (rows[0].open === 0 && rows[0].found === 1) return;
    await sleep(100);
  }
  throw new Error(`The transfer ${reference} is not final after 30 seconds.`);
}

describe('statement budgets', () => {
  test('placing, quoting, messages, delivery and approval stay within their statement budgets', async (t) => {
    for (let round = 0; round < WARM_UP; round++) idOf(await quote(idOf(await place())));
    await measure(t, 'orders.place', place);
    const id = idOf(await place());
    await measure(t, 'orders.quote', () => quote(id));

    const placed = await placeOrder(market.url, await listService(market.url, provider, { title: 'Proofreading at a price' }), buyer);
    await payOrder(market.url, placed, buyer);
    await measure(t, 'messages.send', () =>
      call(market.url, `POST /api/orders/${placed}/messages`, { body: { content: 'One question.' }, headers: provider.headers }),
    );
    await measure(t, 'orders.deliver', () => deliver(market.url, placed, provider));
    await measure(t, 'orders.approve', () => act(market.url, placed, buyer, 'approve'));
  });

  test('paying an order by key stays within its statement budget, with and without a spend policy', async (t) => {
    const { url } = market;
    const spender = await openProvider(url, 'base-mainnet', buyer);
    assert.equal((await allowPayer(url, buyer, spender.id)).status, 200);
    const offered = await listService(url, provider, { price_usd: '1.00' });
    const treasury = buyer.payer.chain.treasury;
    const prepare = async () => {
      const placed = await call(url, 'POST /api/orders', { body: { service_id: offered, brief: BRIEF }, headers: spender.headers });
      const reference = await buyer.payer.pay(treasury, 1_000_000n);
      await untilWatched(market.database.pool, reference);
      return { id: idOf(placed), reference };
    };
    const pay = ({ id, reference }: Awaited<ReturnType<typeof prepare>>) =>
      call(url, `PATCH /api/orders/${id}`, {
        headers: spender.headers,
        body: { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' },
      });
    for (let round = 0; round < WARM_UP; round++) await pay(await prepare());
    const plain = await prepare();
    await measure(t, 'orders.pay', () => pay(plain), 1);
    const limits = { headers: { cookie: await openSession(url, buyer), origin: url }, body: { per_day_usd: '100.00' } };
    assert.equal((await call(url, `PUT /api/spending/policies/agent/${spender.id}`, limits)).status, 200);
    for (let round = 0; round < WARM_UP; round++) await pay(await prepare());
    const limited = await prepare();
    await measure(t, 'orders.pay within a policy', () => pay(limited), 2);
  });

  test('posting, claiming, inviting and accepting a bounty stay within their statement budgets', async (t) => {
    const { url } = market;
    const headers = asHeaders(await signed(buyer));
    const body = { ...BOUNTY, budget_usd: '1.00', client_wallet: buyer.address };
    const post = () => call(url, 'POST /api/bounties', { headers, body });
    for (let round = 0; round < WARM_UP; round++) await claimBounty(url, (await post()).body['data'].id, provider);
    await measure(t, 'bounties.post', post);
    const { id } = (await post()).body['data'];
    await measure(t, 'bounties.claim', () => tryClaim(url, id, provider));
    const pitches = await Promise.all([0, 1, 2].map(async () => (await postBounty(url, buyer, { mode: 'pitch' })).id as string));
    const claims = await Promise.all(pitches.map((pitch) => claimBounty(url, pitch, provider)));
    const invite = (n: number) => call(url, `POST /api/bounties/${pitches[n]}/invite`, { headers, body: { claim_id: claims[n] } });
    for (let round = 0; round < WARM_UP; round++) await invite(round);
    await measure(t, 'bounties.invite', () => invite(WARM_UP));
    const [own] = (await readBounty(url, id, buyer)).claims;
    const reference = await payBounty(market, buyer, 1_100_000n);
    // The payout of the order approved above is separate work.
    await untilPaidOut(market.database.pool);
    // The first transaction books the transfer found on the chain.
    await measure(t, 'bounties.accept', () => tryAccept(url, id, own.claim_id, buyer, reference), 2);
  });

  test('claiming with a stake, and accepting where another stake is returned, stay within their statement budgets', async (t) => {
    const { url } = market;
    const stakers = [await openStaker(market as never, url), await openStaker(market as never, url)] as const;
    const post = async () => (await postBounty(url, buyer, { budget_usd: '5.00', claim_stake_usd: '0.50' })).id as string;
    for (let round = 0; round < WARM_UP; round++) await stakeClaim(url, await post(), stakers[0]);
    const id = await post();
    const { claim } = await stakeClaim(url, id, stakers[1]);
    const transfer = await payStake(stakers[0]);
    await untilPaidOut(market.database.pool);
    await untilWatched(market.database.pool, transfer);
    await measure(t, 'bounties.claim with a stake', () => tryClaimWith(url, id, stakers[0], transfer), 2);
    const reference = await payBounty(market, buyer, 5_500_000n);
    await untilWatched(market.database.pool, reference);
    await measure(t, 'bounties.accept with a stake to return', () => tryAccept(url, id, claim, buyer, reference), 2);
    // Returning the stake is separate work, too.
    await untilPaidOut(market.database.pool);
  });

  test('depositing, withdrawing and reading positions of Earn stay within their statement budgets', async (t) => {
    const { url } = market;
    const vault = 'lend_a:usdc';
    const depositor = await openDepositor(market, url, 'agent');
    for (let round = 0; round < WARM_UP; round++) {
      await deposit(url, depositor, vault, 100_000_000n);
      assert.equal((await withdraw(url, depositor, vault, { shares: '1000000000000' })).status, 200);
    }
    const reference = await sendDeposit(depositor, 5_000_000n);
    await untilPaidOut(market.database.pool);
    await untilWatched(market.database.pool, reference);
    const credentials = await depositor.credentials();
    await measure(t, 'earn.positions', () => call(url, 'GET /api/earn/pool/positions', credentials), 0);
    await measure(t, 'earn.movements', () => call(url, 'GET /api/earn/pool/movements', credentials), 0);
    await measure(t, 'earn.deposit', () => registerDeposit(url, depositor, vault, 5_000_000n, reference), 2);
    await measure(t, 'earn.withdraw', () => withdraw(url, depositor, vault, { shares: '1000000000000' }));
    await untilPaidOut(market.database.pool);
  });

  test('orders placed together share the statements that follow them', async (t) => {
    await untilHandled(market.database.pool);
    log.take();
    await Promise.all(Array.from({ length: CROWD }, async () => idOf(await place())));
    const requested = log.take();
    await untilHandled(market.database.pool);
    const later = log.take();
    const followed = [...requested.filter(({ text }) => isFollower(text)), ...later];
    t.diagnostic(`${(followed.length / CROWD).toFixed(2)} statements per order afterwards`);
    assert.ok(followed.length <= CROWD * STATEMENTS_AFTER_AN_ORDER, `${followed.length} for ${CROWD} orders:\n${describeAll(followed)}`);
  });

  test('an idle process stays within its statement budget', async (t) => {
    await untilHandled(market.database.pool);
    // By then the webhook lanes are released.
    await sleep(3_000);
    const most = IDLE_SECONDS * IDLE_STATEMENTS_PER_SECOND;
    let idle = await recordIdle();
    // On a busy machine earlier work may be late and fall into this interval.
    for (let look = 1; look < 3 && idle.length > most; look++) idle = await recordIdle();
    t.diagnostic(`${(idle.length / IDLE_SECONDS).toFixed(2)} statements per second`);
    assert.ok(idle.length <= most, `${idle.length} in ${IDLE_SECONDS} s:\n${describeAll(idle)}`);
  });
});

async function recordIdle(): Promise<Statement[]> {
  await untilBetweenTicks();
  log.take();
  await sleep(IDLE_SECONDS * 1000);
  return log.take().filter(({ text }) => !SELDOM.test(text));
}

/** Jobs of every five minutes or less often start together at such ticks. Waits until the counted half minute lies between two ticks. */
async function untilBetweenTicks(): Promise<void> {
  const { rows } = await market.database.pool.query<{ left: number }>(
    `select 300 - extract(epoch from market_now())::float8::bigint % 300 as left`,
  );
  const left = Number(rows[0]?.left ?? 300);
  if (left > 290) await sleep((left - 290) * 1000);
  if (left <= IDLE_SECONDS + 2) await sleep((left + 10) * 1000);
}

/** Statements that such jobs may still leave in the interval. */
const SELDOM =
  /\b(?:update|from) "?(?:uploads|saved_searches|earn_\w+|creator_fee_progress|spendings)\b|into "creator_fee_receipts"|from "bounties" where "status" = \$1 and "expires_at"|delete from "?(?:notifications|webhook_deliveries|idempotency_keys|rate_limit_windows|sessions|spent_signatures|spendings|spend_approvals|swap_orders|token_prices|oauth_records|oauth_clients|connections)\b|select token_mint as mint/;

const isFollower = (text: string): boolean =>
  BACKGROUND.test(text) || /counted_orders|into notifications|o\.service_title as title/.test(text);
