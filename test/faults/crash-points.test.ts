/** kill -9 at every crash point of the code that moves money: after a restart each intent is paid exactly once. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { createPayer } from '../harness/payers.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { chainOf, NETWORKS, USDC } from '../money/money.ts';
import { readPayout } from '../money/outgoing.ts';
import { type ClaimWorker, openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { finishAndProve, prepareWork, queueWork, runUntilDeath, type Work } from './crash-lab.ts';
import { EXPIRY_POINT, ORDER_POINTS, PRESENTER_POINTS, pointsToDieAt, SERVER_POINTS } from './crash-points.ts';

const TESTS = path.join(import.meta.dirname, '..');
const SOURCES = path.join(TESTS, '..', 'packages', 'server', 'src');

test('every crash point in the code has a test, every listed one exists, and there are at least twenty', () => {
  const marked = new Set(
    globSync('**/*.ts', { cwd: SOURCES })
      .map((file) => readFileSync(path.join(SOURCES, file), 'utf8'))
      .flatMap((text) => [...text.matchAll(/reachCrashPoint\('([^']+)'\)/g)].map((match) => match[1] ?? '')),
  );
  assert.ok(marked.size >= 20);
  const listed = [...SERVER_POINTS, ...PRESENTER_POINTS, ...ORDER_POINTS, EXPIRY_POINT];
  assert.deepEqual(
    listed.filter((point) => !marked.has(point)),
    [],
  );
  const tests = globSync('**/*.ts', { cwd: TESTS }).map((file) => readFileSync(path.join(TESTS, file), 'utf8'));
  assert.deepEqual(
    // `point:3` stands for the third pass.
    [...marked].filter((point) => !tests.some((text) => text.includes(`'${point}'`) || text.includes(`'${point}:`))),
    [],
  );
});

const PRESENTER_DEATHS = pointsToDieAt(PRESENTER_POINTS, ['claim.before_commit']);
const SERVER_DEATHS = pointsToDieAt(
  [...SERVER_POINTS, 'outgoing.after_broadcast:2', EXPIRY_POINT],
  ['outgoing.after_store', 'outgoing.after_broadcast'],
);
/** At these crash points signed bytes exist. */
const ON_EVERY_NETWORK = ['outgoing.after_store', 'outgoing.after_broadcast'];

function networkInTurn(index: number): NetworkName {
  return NETWORKS[index % NETWORKS.length] ?? 'base-mainnet';
}

/** Each point is tried on one network in turn, the most delicate on all. Only Solana loses signed bytes for good within a test. */
function networksOf(point: string, index: number): readonly NetworkName[] {
  if (point === EXPIRY_POINT) return ['solana-mainnet'];
  return isThorough && ON_EVERY_NETWORK.includes(point) ? NETWORKS : [networkInTurn(index)];
}

suite('a process that crashes', () => {
  let shared: SharedMoney;
  let healthy: ClaimWorker;
  before(async () => {
    // Only the expiry point needs a chain that loses transactions.
    shared = await openSharedMoney({ ownChains: SERVER_DEATHS.includes(EXPIRY_POINT), hosted: true });
    healthy = await shared.startWorker();
  });
  after(() => shared.close());

  for (const [index, point] of PRESENTER_DEATHS.entries()) {
    const network = networkInTurn(index);
    test(`a process that crashes at ${point} while claiming a payment on ${network} leaves it unclaimed`, async () => {
      const payer = await createPayer(shared, network, USDC);
      const reference = await payer.pay(chainOf(shared, network).treasury, USDC);
      const request = { network, reference, expectedMicros: String(USDC), subjectIds: [`ord_${point}`] } as const;
      assert.equal(await (await shared.startWorker({ CRASH_AT: point })).present(request), 'died');
      const outcomes = await healthy.present({ ...request, subjectIds: [`${point}_a`, `${point}_b`] });
      assert.ok(outcomes !== 'died');
      assert.deepEqual([...outcomes].sort(), ['granted', 'payment_already_used']);
    });
  }

  test('C01, C02: a process that crashes at each point of a payout or refund is followed by exactly one transfer', async () => {
    const deaths = SERVER_DEATHS.flatMap((point, index) => networksOf(point, index).map((network) => ({ point, network })));
    const works = await Promise.all(deaths.map(({ network }) => prepareWork(shared, network)));
    for (const [index, { point }] of deaths.entries()) {
      const work = works[index];
      assert.ok(work);
      await queueWork(shared, work);
      await runUntilDeath(shared, point, work, await arrange(point, work));
    }
    if (SERVER_DEATHS.includes(EXPIRY_POINT)) await shared.localChains.setFault({ network: 'solana-mainnet', mode: 'none' });
    await finishAndProve(shared, works);
  });

  /** Some points need a special state before. */
  async function arrange(point: string, work: Work): Promise<(() => Promise<void>) | undefined> {
    if (point === 'watch.before_finality_commit') {
      // Sets the order's payment to a transfer that is not final yet.
      await shared.database.pool.query(
        `update chain_receipts set finality = 'confirmed'
        where reference = (select reference from payment_claims where subject_id = $1)`,
        [work.orderId],
      );
    }
    if (point !== EXPIRY_POINT) return undefined;
    await shared.localChains.setFault({ network: 'solana-mainnet', mode: 'drop_tx' });
    return async () => {
      assert.ok(work.payout);
      if ((await readPayout(shared.money, work.payout.id)).state !== 'queued') await shared.localChains.advance(60);
    };
  }
});
