/** Orders in progress: placed through the API, and paid in the books only. */
import { escrow, post, treasury } from '../../packages/server/src/features/ledger/index.ts';
import { setOrderStatus } from '../../test/harness/order-states.ts';
import { perSecond } from './compare.ts';
import { type Drive, drive, requestOf } from './drive.ts';
import { ORDER_BRIEF } from './market-people.ts';
import type { Stage } from './stage.ts';

const CALLERS = 32;
const PRICE_MICROS = 1_000_000n;

export interface Placing {
  readonly serviceId: string;
  /** An API key. */
  readonly buyer: string;
  readonly count: number;
}

export async function placeOrders({ url }: Stage, { serviceId, buyer, count }: Placing): Promise<{ ids: string[]; placed: Drive }> {
  const order = requestOf(url, 'POST /api/orders', { key: buyer, body: { service_id: serviceId, brief: ORDER_BRIEF } });
  const ids: string[] = [];
  const placed = await drive({
    url,
    callers: CALLERS,
    next: (number) => (number < count ? order : undefined),
    onAnswer: (_number, body) => ids.push(JSON.parse(body.toString()).data.order_id),
  });
  return { ids, placed };
}

/** Books the orders as paid without a chain: a payment on chain takes longer than the measured calls. */
export async function holdMoney({ database }: Stage, ids: readonly string[]): Promise<void> {
  await setOrderStatus({ database }, ids, 'in_progress');
  await perSecond(ids.length, 8, async (number) => {
    const id = ids[number] ?? '';
    await database.transaction((tx) =>
      post(tx, {
        kind: 'receipt',
        subjectId: id,
        idempotencyKey: `bench:${id}`,
        entries: [
          { account: treasury('base-mainnet'), micros: -PRICE_MICROS },
          { account: escrow('base-mainnet', id), micros: PRICE_MICROS },
        ],
      }),
    );
  });
}
