/** Requests and payments in random order, in both forms and on both servers: one paid order per transfer, and no transfer lost. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import fc from 'fast-check';
import {
  CHARGED_MICROS,
  hireUntilKnown,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  readOffer,
  transferProof,
  versionOne,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { act, placeOrder } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { seed } from '../properties/sampling.ts';

type Standard = Extract<NetworkName, 'base-mainnet' | 'solana-mainnet'>;
const RUNS = times(1, 5);
const MOST_REQUESTS = times(20, 30);
const KINDS = ['base', 'solana', 'transfer', 'transfer', 'short', 'unshown'] as const;

/** One payment in every envelope that can carry it; without envelopes if nobody presents it. */
interface Shown {
  readonly kind: (typeof KINDS)[number];
  readonly envelopes: readonly Record<string, string>[];
  readonly reference?: string;
}

interface Request {
  readonly payment: number;
  readonly envelope: number;
  readonly brief: number;
  readonly server: number;
  /** Presents a reference on the buyer's order instead of a new hire. */
  readonly onOrder: boolean;
}

const requests = fc.array(
  fc.record({
    payment: fc.nat(KINDS.length - 1),
    envelope: fc.nat(1),
    brief: fc.nat(2),
    server: fc.nat(1),
    onOrder: fc.boolean(),
  }),
  { minLength: KINDS.length, maxLength: MOST_REQUESTS },
);

suite('any interleaving of payments and requests', () => {
  let stage: MachineStage;
  let base: MachineBuyer;
  let solana: MachineBuyer;
  before(async () => {
    stage = await openMachineStage({}, { hosted: false });
    [base, solana] = await Promise.all([openMachineBuyer(stage, 'base-mainnet'), openMachineBuyer(stage, 'solana-mainnet')]);
  });
  after(() => stage.close());

  async function make(kind: Shown['kind']): Promise<Shown> {
    if (kind === 'base' || kind === 'solana') {
      const [buyer, network]: [MachineBuyer, Standard] = kind === 'base' ? [base, 'base-mainnet'] : [solana, 'solana-mainnet'];
      const offer = await readOffer(stage, stage.urls[0], stage.serviceId, network);
      const payload = await buyer.authorise(offer);
      return { kind, envelopes: [versionTwo(offer, payload), versionOne(network, payload)] };
    }
    const micros = kind === 'short' ? CHARGED_MICROS - 1n : CHARGED_MICROS;
    const reference = await base.payer.pay(chainOf(stage, 'base-mainnet').treasury, micros, 'confirmed');
    return { kind, reference, envelopes: kind === 'unshown' ? [] : [transferProof('base-mainnet', reference), { 'x-payment': reference }] };
  }

  async function ask(shown: Shown, { envelope, brief, server, onOrder }: Request, orderId: string): Promise<number | undefined> {
    const headers = shown.envelopes[envelope];
    if (headers === undefined) return undefined;
    const url = stage.urls[server === 0 ? 0 : 1];
    if (onOrder && shown.kind === 'transfer') {
      return (await act(url, orderId, base, 'pay', { escrow_tx_hash: shown.reference, payment_chain: 'base' })).status;
    }
    return (await hireWith(url, stage.serviceId, { ...headers, ...(await proofOf(shown)) }, { brief: `Thing ${brief}` })).status;
  }

  /** The payer has an unpaid order, so only a signature of its wallet spends a transfer. */
  async function proofOf({ kind }: Shown): Promise<Record<string, string>> {
    return kind === 'base' || kind === 'solana' ? {} : asHeaders(await signed(base));
  }

  /** The end of each transfer that reached the treasury. */
  async function readEnds(): Promise<{ kind: string; count: number }[]> {
    const { rows } = await stage.database.pool.query(
      `select case when o.id is not null then 'order'
                   when c.reference is not null then 'refund'
                   when a.balance_micros = r.received_micros then 'unmatched'
                   else 'lost' end as kind, count(*)::int
       from chain_receipts r
       left join payment_claims c using (caip2, reference)
       left join orders o on o.id = c.subject_id and o.payment_reference = r.reference and o.status not in ('quoted', 'cancelled')
       left join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
       group by 1 order by 1`,
    );
    return rows;
  }

  test('M04, M09: any interleaving of payments and requests ends with one order and claim per transfer, and unused transfers are unmatched', async () => {
    let expected = { order: 0, unmatched: 0 };
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        const payments: Shown[] = [];
        for (const kind of KINDS) payments.push(await make(kind));
        const order = await placeOrder(stage.urls[0], stage.serviceId, base);
        const statuses = await Promise.all(
          asked.map((request) => {
            const shown = payments[request.payment];
            assert.ok(shown);
            return ask(shown, request, order);
          }),
        );
        assert.ok(
          statuses.every((status) => status === undefined || [200, 400, 402, 409, 503].includes(status)),
          statuses.join(),
        );
        // Clients without an outcome ask again, until every presented payment is settled.
        for (const [index, shown] of payments.entries()) {
          const [headers] = shown.envelopes;
          if (headers === undefined) continue;
          const { status } = await hireUntilKnown(stage.urls[0], stage.serviceId, { ...headers, ...(await proofOf(shown)) });
          assert.equal(status, shown.kind === 'short' ? 402 : status === 200 ? 200 : 409, `payment ${index}`);
        }
        expected = { order: expected.order + 4, unmatched: expected.unmatched + 2 };
        const ends = await until('every transfer being in the books', async () => {
          const found = await readEnds();
          return found.reduce((sum, { count }) => sum + count, 0) >= expected.order + expected.unmatched ? found : undefined;
        });
        assert.deepEqual(
          ends,
          Object.entries(expected).map(([kind, count]) => ({ kind, count })),
        );
        const { rows } = await stage.database.pool.query(
          `select count(*)::int as count, count(distinct payment_reference)::int as payments from orders where payment_reference is not null`,
        );
        assert.deepEqual(rows, [{ count: expected.order, payments: expected.order }]);
      }),
      { seed, numRuns: RUNS, endOnFailure: true },
    );
    await requireSound(stage.money);
  });
});
