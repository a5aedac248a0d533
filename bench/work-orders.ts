/** Delivering and approving orders against placing them: each is one transaction with its step, events and timers. */
import { median } from './load.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { drive, requestOf } from './suite/drive.ts';
import { holdMoney, placeOrders } from './suite/funded-orders.ts';
import { openBuyerKey, openSeller, type Seller } from './suite/market-people.ts';
import { eachOf } from './suite/paths.ts';
import type { Stage } from './suite/stage.ts';

const CALLERS = 32;
const DELIVER = 'POST /api/orders/{id}/deliver';
const APPROVE = 'PATCH /api/orders/{id} approve';

interface Speeds {
  readonly place: number;
  readonly deliver: number;
  readonly approve: number;
}

export default defineBench({
  about: 'delivering and approving against placing, 32 callers',
  // Delivering and approving take at most 1.5 times as long as placing.
  rows: [DELIVER, APPROVE].map((path) => ({ path, unit: '/s', judged: 'ratio', direction: 'at least', bound: 1 / 1.5 }) as const),
  async run(run) {
    const stage = await run.stage();
    const seller = await openSeller(stage.url);
    const buyer = await openBuyerKey(stage.url);
    const rounds: Speeds[] = [];
    // The first round warms everything up and does not count.
    for (let round = run.pick(-1, 0); round < run.pick(3, 1); round++) {
      const speeds = await work(run, stage, seller, buyer);
      run.print(`placed ${speeds.place.toFixed(0)}/s · delivered ${speeds.deliver.toFixed(0)}/s · approved ${speeds.approve.toFixed(0)}/s`);
      if (round >= 0) rounds.push(speeds);
    }
    const limit = median(rounds.map(({ place }) => place));
    const report = (path: string, act: 'deliver' | 'approve'): void =>
      run.report(path, {
        ours: median(rounds.map((speeds) => speeds[act])),
        limit,
        ratio: median(rounds.map((speeds) => speeds[act] / speeds.place)),
      });
    report(DELIVER, 'deliver');
    report(APPROVE, 'approve');
  },
});

async function work(run: BenchRun, stage: Stage, seller: Seller, buyer: string): Promise<Speeds> {
  const { url } = stage;
  const { ids, placed } = await placeOrders(stage, { serviceId: seller.serviceId, buyer, count: run.pick(500, 8) });
  await holdMoney(stage, ids);
  const each = (request: (id: string) => Buffer) => drive({ url, callers: CALLERS, next: eachOf(ids, request) });
  const delivery = { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' };
  const delivered = await each((id) => requestOf(url, `POST /api/orders/${id}/deliver`, { key: seller.key, body: delivery }));
  const approved = await each((id) => requestOf(url, `PATCH /api/orders/${id}`, { key: buyer, body: { action: 'approve' } }));
  return { place: placed.perSecond, deliver: delivered.perSecond, approve: approved.perSecond };
}
