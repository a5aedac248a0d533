/** Ledger postings per second against one bare SQL transaction that writes as many rows without any rule. */

import { escrow, post, treasury, unmatched } from '../packages/server/src/features/ledger/index.ts';
import { openMarket } from '../test/harness/market.ts';
import { median } from './load.ts';

const ROUNDS = 5;
const PER_ROUND = 400;
const PARALLEL = 8;

const market = await openMarket({ JOBS: 'off' });
const { database } = market;
await database.pool.query(
  'create table bare_transfers (id bigint generated always as identity primary key, kind text, subject text, key text unique)',
);
await database.pool.query(
  'create table bare_entries (transfer_id bigint, account bigint, amount bigint, primary key (transfer_id, account))',
);

let number = 0;
const posting = async (): Promise<void> => {
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
};
const bare = async (): Promise<void> => {
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
};

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const ours = await perSecond(posting);
  const theirs = await perSecond(bare);
  ratios.push(ours / theirs);
  console.log(`postings ${Math.round(ours)}/s · bare transactions ${Math.round(theirs)}/s · ratio ${(ours / theirs).toFixed(2)}`);
}
console.log(`ledger: ${median(ratios).toFixed(2)} postings per bare transaction (median of ${ROUNDS}, ${PARALLEL} at a time)`);
await market.close();

async function perSecond(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  let left = PER_ROUND;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return PER_ROUND / ((performance.now() - started) / 1000);
}
