/** Ledger postings per second against one bare SQL transaction that writes as many rows without any rule. */

import { escrow, post, treasury, unmatched } from '../packages/server/src/features/ledger/index.ts';
import type { Database } from '../packages/server/src/platform/db/database.ts';
import { openMarket } from '../test/harness/market.ts';
import { defineBench } from './suite/bench.ts';
import { compare, perSecond } from './suite/compare.ts';

const PARALLEL = 8;
const PATH = 'ledger posting';

export default defineBench({
  about: 'postings against a bare SQL transaction of as many rows',
  rows: [{ path: PATH, unit: '/s', judged: 'ratio', direction: 'at least', bound: 0.5 }],
  async run(run) {
    const { database, close } = await openMarket({ JOBS: 'off' });
    run.atEnd(close);
    await database.pool.query(
      'create table bare_transfers (id bigint generated always as identity primary key, kind text, subject text, key text unique)',
    );
    await database.pool.query(
      'create table bare_entries (transfer_id bigint, account bigint, amount bigint, primary key (transfer_id, account))',
    );
    const perRound = run.pick(400, 20);
    const figure = await compare({
      rounds: run.pick(5, 1),
      ours: async () => await perSecond(perRound, PARALLEL, () => postOnce(database)),
      limit: async () => await perSecond(perRound, PARALLEL, () => writeBare(database)),
      onRound: (ours, limit) => run.print(`postings ${ours.toFixed(0)}/s · bare transactions ${limit.toFixed(0)}/s`),
    });
    run.report(PATH, figure);
  },
});

let number = 0;
async function postOnce(database: Database): Promise<void> {
  const reference = `r${++number}`;
  await database.transaction((tx) =>
    post(tx, {
      kind: 'receipt',
      subjectId: reference,
      idempotencyKey: `bench:${reference}`,
      entries: [
        { account: treasury('base-mainnet'), micros: -5n },
        { account: unmatched('base-mainnet', reference), micros: 3n },
        { account: escrow('base-mainnet', reference), micros: 2n },
      ],
    }),
  );
}

async function writeBare(database: Database): Promise<void> {
  const key = `k${++number}`;
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query({
      name: 'bare-t',
      text: 'insert into bare_transfers (kind, subject, key) values ($1, $2, $3) returning id',
      values: ['x', key, key],
    });
    const text = 'insert into bare_entries values ($1, 1, -5), ($1, 2, 3), ($1, 3, 2)';
    await client.query({ name: 'bare-e', text, values: [rows[0].id] });
    await client.query('commit');
  } finally {
    client.release();
  }
}
