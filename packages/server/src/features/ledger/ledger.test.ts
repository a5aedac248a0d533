import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { splitPrice } from '@market/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import {
  agentPayable,
  escrow,
  inFlight,
  interchain,
  type Posting,
  platformFee,
  post,
  readBalance,
  refundPayable,
  treasury,
  unmatched,
} from './index.ts';
import { sealTransfers } from './repository.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10, onError: () => {} });
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const NETWORK = 'base-mainnet';
let keys = 0;
const key = (): string => `test:${++keys}`;
const postNow = (posting: Omit<Posting, 'idempotencyKey'> & { idempotencyKey?: string }) =>
  database.transaction((tx) => post(tx, { idempotencyKey: key(), ...posting }));

function received(reference: string, micros: bigint): Omit<Posting, 'idempotencyKey'> {
  return {
    kind: 'receipt',
    subjectId: reference,
    entries: [
      { account: treasury(NETWORK), micros: -micros },
      { account: unmatched(NETWORK, reference), micros },
    ],
  };
}

test('a posting that does not balance, has one side or overdraws an account is refused and writes nothing', async () => {
  const before = await counts();
  const oneSided = { kind: 'x', subjectId: 's', entries: [{ account: escrow(NETWORK, 'o'), micros: 5n }] };
  await assert.rejects(postNow(oneSided), /does not balance/);
  const unequal = { kind: 'x', subjectId: 's', entries: [...received('r', 5n).entries, { account: escrow(NETWORK, 'o'), micros: 1n }] };
  await assert.rejects(postNow(unequal), /does not balance/);
  const overdraft = {
    kind: 'x',
    subjectId: 's',
    entries: [
      { account: escrow(NETWORK, 'o'), micros: -5n },
      { account: agentPayable(NETWORK, 'a'), micros: 5n },
    ],
  };
  await assert.rejects(postNow(overdraft), /ledger_no_overdraft/);
  const acrossNetworks = {
    kind: 'x',
    subjectId: 's',
    entries: [
      { account: treasury('solana-mainnet'), micros: -5n },
      { account: unmatched('base-mainnet', 'r'), micros: 5n },
    ],
  };
  await assert.rejects(postNow(acrossNetworks), /does not balance/);
  assert.deepEqual(await counts(), before);
});

test('the treasury cannot pay out more than it holds', async () => {
  await postNow(received('held', 10n));
  const overpay = {
    kind: 'x',
    subjectId: 's',
    entries: [
      { account: unmatched(NETWORK, 'held'), micros: -11n },
      { account: treasury(NETWORK), micros: 11n },
    ],
  };
  await assert.rejects(postNow(overpay), /ledger_/);
});

const [SOURCE, TARGET] = ['alt-mainnet', 'solana-mainnet'] as const;
const lending = (micros: bigint) => ({
  kind: 'lent',
  subjectId: 's',
  entries: [
    { account: escrow(SOURCE, 'o'), micros: -micros },
    { account: interchain(SOURCE), micros },
    { account: interchain(TARGET), micros: -micros },
    { account: inFlight(TARGET, 'p'), micros },
  ],
});
const earning = (micros: bigint) => ({
  kind: 'fee',
  subjectId: 's',
  entries: [
    { account: treasury(TARGET), micros: -micros },
    { account: platformFee(TARGET), micros },
  ],
});

test('a network lends no more than the marketplace owns there, and lent money cannot be taken out as fees', async () => {
  const held = [
    { account: treasury(SOURCE), micros: -50n },
    { account: escrow(SOURCE, 'o'), micros: 50n },
  ];
  await postNow({ kind: 'held', subjectId: 's', entries: held });
  await postNow(earning(10n));
  await assert.rejects(postNow(lending(11n)), /owns too little on solana-mainnet/);
  await postNow(lending(4n));
  await assert.rejects(postNow(earning(-7n)), /owns too little on solana-mainnet/);
});

test('money being lent cannot be taken out as fees in parallel', async () => {
  const lent = Promise.withResolvers<void>();
  const tried = Promise.withResolvers<void>();
  const lender = database.transaction(async (tx) => {
    await post(tx, { ...lending(6n), idempotencyKey: key() });
    await sql`set constraints all immediate`.execute(tx);
    lent.resolve();
    await tried.promise;
  });
  await lent.promise;
  const taking = postNow(earning(-6n));
  // The taker must wait for the lender; without a lock it would succeed within this time.
  await Promise.race([Promise.allSettled([taking]), new Promise((resolve) => setTimeout(resolve, 300))]);
  tried.resolve();
  await lender;
  await assert.rejects(taking, /owns too little on solana-mainnet/);
});

test('the same idempotency key posts once, also in parallel', async () => {
  const posting = { ...received('once', 100n), idempotencyKey: 'receipt:once' };
  const results = await Promise.all(Array.from({ length: 20 }, () => postNow(posting)));
  assert.equal(results.filter(Boolean).length, 1);
  assert.equal(await readBalance(database.db, unmatched(NETWORK, 'once')), 100n);
});

test('postings, entries and seals cannot be rewritten', async () => {
  for (const statement of [
    'update ledger_transfers set kind = kind',
    'delete from ledger_entries',
    'update ledger_entries set amount_micros = 1',
    `insert into ledger_entries select transfer_id, (select max(id) from ledger_accounts), 7 from ledger_entries limit 1`,
  ]) {
    await assert.rejects(database.pool.query(statement), /append-only|does not balance|duplicate key/, statement);
  }
});

test('no statement can add an entry without its transfer or account, a transfer without entries, or take an account away', async () => {
  await postNow(received('kept', 5n));
  const before = await counts();
  const transfer = '(select max(id) from ledger_transfers)';
  const account = `(select id from ledger_accounts where kind = 'unmatched' and owner = '${NETWORK}/kept')`;
  for (const [statement, refusal] of [
    [`insert into ledger_transfers (kind, subject_id, idempotency_key) values ('x', 's', 'empty')`, /does not balance/],
    [
      `insert into ledger_entries values (${transfer} + 1000, ${account}, 7), (${transfer} + 1000, ${account} + 1000, -7)`,
      /does not balance/,
    ],
    [
      `insert into ledger_entries select ${transfer} + 1000, id, case kind when 'treasury' then -7 else 7 end from ledger_accounts
      where network = '${NETWORK}' and (kind = 'treasury' or id = ${account})`,
      /does not balance/,
    ],
    [`delete from ledger_accounts where id = ${account}`, /append-only/],
    [`update ledger_accounts set owner = 'somebody else' where id = ${account}`, /append-only/],
    ['truncate ledger_accounts', /append-only/],
    ['truncate ledger_entries, ledger_transfers, ledger_seals', /append-only/],
    [`update ledger_accounts set balance_micros = -1 where id = ${account}`, /ledger_no_overdraft/],
    [`insert into ledger_accounts (kind, network) values ('pocket', '${NETWORK}')`, /ledger_account_kind/],
  ] as const) {
    await assert.rejects(database.pool.query(statement), refusal, statement);
  }
  assert.deepEqual(await counts(), before);
});

test('two transfers in one statement must each balance by themselves', async () => {
  const account = (name: string) => `(select id from ledger_accounts where kind = 'unmatched' and owner = '${NETWORK}/${name}')`;
  await postNow(received('left', 5n));
  await postNow(received('right', 5n));
  const write = (amounts: readonly [number, number, number, number]) => `
    with made as (
      insert into ledger_transfers (kind, subject_id, idempotency_key) select 'x', 's', 'pair' || n from generate_series(1, 2) n returning id),
    numbered as (select id, row_number() over (order by id) as n from made)
    insert into ledger_entries select id, case side when 1 then ${account('left')} else ${account('right')} end, amount
    from numbered join (values (1, 1, ${amounts[0]}), (1, 2, ${amounts[1]}), (2, 1, ${amounts[2]}), (2, 2, ${amounts[3]})) as e (n, side, amount) using (n)`;
  await assert.rejects(database.pool.query(write([1, 1, -1, -1])), /does not balance/);
  await database.pool.query(write([1, -1, 2, -2]));
  assert.equal(await readBalance(database.db, unmatched(NETWORK, 'left')), 8n);
  assert.equal(await readBalance(database.db, unmatched(NETWORK, 'right')), 2n);
});

type Step = { readonly act: 'receive' | 'complete' | 'refund' | 'split' | 'send'; readonly order: number; readonly micros: bigint };

test('M19: random order lifecycles keep every sum exact and no balance negative', async () => {
  const steps = fc.array(
    fc.record({
      act: fc.constantFrom('receive' as const, 'complete' as const, 'refund' as const, 'split' as const, 'send' as const),
      order: fc.integer({ min: 0, max: 3 }),
      micros: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    }),
    { minLength: 5, maxLength: 25 },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      run += 1;
      await playOut(sequence, `run${run}`);
    }),
    { numRuns: 25 },
  );
  const { rows } = await database.pool.query(`
    select a.id from ledger_accounts a left join ledger_entries e on e.account_id = a.id where a.kind <> 'treasury'
    group by a.id having a.balance_micros <> coalesce(sum(e.amount_micros), 0)`);
  assert.deepEqual(rows, [], 'balances are the sums of their entries');
  const total = await database.pool.query('select coalesce(sum(amount_micros), 0)::text as sum from ledger_entries');
  assert.equal(total.rows[0].sum, '0');
});

/** Plays random steps against the books and a plain model; both must agree after each. */
async function playOut(sequence: readonly Step[], run: string): Promise<void> {
  const held = new Map<string, bigint>();
  let owed = 0n;
  let fees = 0n;
  const agent = agentPayable(NETWORK, `${run}-agent`);
  const feesBefore = await readBalance(database.db, platformFee(NETWORK));
  for (const [index, { act, order, micros }] of sequence.entries()) {
    const id = `${run}-order${order}`;
    const holds = held.get(id) ?? 0n;
    if (act === 'receive' && holds === 0n) {
      const reference = `${id}-${index}`;
      await postNow(received(reference, micros));
      const claim = [
        { account: unmatched(NETWORK, reference), micros: -micros },
        { account: escrow(NETWORK, id), micros },
      ];
      await postNow({ kind: 'claim', subjectId: id, entries: claim });
      held.set(id, micros);
    } else if (act === 'send') {
      if (owed === 0n) continue;
      await settle(agent, owed, `${id}-${index}-payout`);
      owed = 0n;
    } else if (holds > 0n && act !== 'receive') {
      const toAgent = act === 'refund' ? 0n : act === 'complete' ? holds : micros % (holds + 1n);
      const { agentMicros, feeMicros } = splitPrice(toAgent);
      const back = refundPayable(NETWORK, `${id}-${index}`);
      const entries = [
        { account: escrow(NETWORK, id), micros: -holds },
        { account: agent, micros: agentMicros },
        { account: platformFee(NETWORK), micros: feeMicros },
        { account: back, micros: holds - toAgent },
      ];
      await postNow({ kind: act, subjectId: id, entries });
      if (holds > toAgent) await settle(back, holds - toAgent, `${id}-${index}-refund`);
      held.set(id, 0n);
      owed += agentMicros;
      fees += feeMicros;
    }
    assert.equal(await readBalance(database.db, escrow(NETWORK, id)), held.get(id) ?? 0n);
    assert.equal(await readBalance(database.db, agent), owed);
  }
  assert.equal((await readBalance(database.db, platformFee(NETWORK))) - feesBefore, fees);
}

/** Moves money as a payout does: from owed to reserved, then out of the treasury. */
async function settle(from: ReturnType<typeof agentPayable>, micros: bigint, payout: string): Promise<void> {
  const reserve = [
    { account: from, micros: -micros },
    { account: inFlight(NETWORK, payout), micros },
  ];
  await postNow({ kind: 'payout_reserved', subjectId: payout, entries: reserve });
  const sent = [
    { account: inFlight(NETWORK, payout), micros: -micros },
    { account: treasury(NETWORK), micros },
  ];
  await postNow({ kind: 'payout_confirmed', subjectId: payout, entries: sent });
}

test('100 parallel postings over few accounts neither deadlock nor lose a micro', async () => {
  const before = await readBalance(database.db, treasury(NETWORK));
  await Promise.all(Array.from({ length: 100 }, (_, i) => postNow(received(`parallel${i % 4}`, 3n))));
  assert.equal(await readBalance(database.db, treasury(NETWORK)), before - 300n);
});

test('the journal seals every posting once without gaps, and detects a removed or forged posting', async () => {
  await sealTransfers(database.db, 1_000_000);
  const { rows } = await database.pool.query(`
    select count(*)::int as seals, max(number)::int as last, (select count(*)::int from ledger_transfers) as transfers,
           bool_and(hash = ledger_transfer_digest(transfer_id, previous_hash)) as sound from ledger_seals`);
  assert.equal(rows[0].seals, rows[0].transfers);
  assert.equal(rows[0].last, rows[0].transfers);
  assert.equal(rows[0].sound, true);
  const broken = await database.pool.query(`
    select number from (select number, previous_hash, lag(hash) over (order by number) as before from ledger_seals) s
    where before is not null and previous_hash is distinct from before`);
  assert.deepEqual(broken.rows, []);
});

async function counts(): Promise<unknown> {
  const { rows } = await database.pool.query(
    'select (select count(*)::int from ledger_transfers) as transfers, (select count(*)::int from ledger_entries) as entries, (select count(*)::int from ledger_accounts) as accounts',
  );
  return rows[0];
}
