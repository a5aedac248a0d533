/** The items of a delivery: files, links or text. */
import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import type { OrdersContext } from '../orders-context.ts';
import { type DeliveredItem, insertDeliverables, type OrderRow, supersedeDeliverables } from '../repository.ts';

type Body = Omit<OperationArguments<Operations['orders']['deliver']>, 'id' | 'request_id'>;
type GivenItem = NonNullable<Body['deliverables']>[number];

/** `deliverables` wins over the single form. The type defaults to `link` or `text`. */
export function readItems({ deliverables, ...single }: Body): readonly DeliveredItem[] {
  const given: readonly GivenItem[] = deliverables ?? [single];
  return given.map(({ deliverable_url: url, content, deliverable_media_type: mediaType }) => {
    if ((url === undefined) === (content === undefined)) {
      throw new MarketError('invalid_input', { message: 'Each deliverable has either deliverable_url or content.' });
    }
    return { url: url ?? null, content: content ?? null, mediaType: mediaType ?? (url === undefined ? 'text' : 'link') };
  });
}

/** Stores a delivery as the next round. Earlier deliveries stay readable, marked as replaced. */
export async function deliverItems(
  tx: Tx,
  context: Pick<OrdersContext, 'clock' | 'files'>,
  order: OrderRow,
  items: readonly DeliveredItem[],
  by: Caller,
): Promise<number> {
  const uploads = await attachFiles(tx, context, order, items, by);
  const round = order.lastRound + 1;
  await supersedeDeliverables(tx, order.id);
  const now = context.clock.now();
  await insertDeliverables(
    tx,
    items.map((item, position) => ({
      id: newId('del', now),
      orderId: order.id,
      round,
      position,
      ...item,
      uploadId: uploads[position] ?? null,
      status: 'completed',
      answeredAt: order.now,
    })),
  );
  return round;
}

/** The upload behind each item, null for links and text. */
export async function attachFiles(
  tx: Tx,
  { files }: Pick<OrdersContext, 'files'>,
  order: OrderRow,
  items: readonly DeliveredItem[],
  by: Caller,
): Promise<readonly (string | null)[]> {
  const attached = await files.attach(
    tx,
    items.map(({ url }) => url ?? ''),
    { by, subjectId: order.id },
  );
  return items.map((_item, index) => attached[index] ?? null);
}
