/** Deliverables as a viewer may see them. Until completion the buyer gets a preview of an image. */
import { type OperationAnswer, type Operations, type OrderRole, toWireTime } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import { rolesOf } from '../lifecycle/parties.ts';
import { isWithheld, type Viewer, withheldUntil } from '../lifecycle/withheld.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { DeliverableRow, OrderRow } from '../repository.ts';

export type WireDeliverable = OperationAnswer<Operations['orders']['get']>['data']['deliverables'][number];

/** A machine sees the original at once, because its provider is already paid. */
export function isPreviewOnly(order: OrderRow, viewer: OrderRole, mediaType: string | null): boolean {
  return viewer === 'buyer' && order.status !== 'completed' && order.kind !== 'machine' && mediaType === 'image';
}

/** The items of a delivery; empty while they are withheld. */
export async function presentDeliverables(
  { files }: Pick<OrdersContext, 'files'>,
  order: OrderRow,
  viewer: Viewer,
  deliverables: readonly DeliverableRow[],
): Promise<WireDeliverable[]> {
  if (isWithheld(order, viewer)) return [];
  const described = await files.describe(deliverables.map(({ uploadId }) => uploadId).filter((id) => id !== null));
  return deliverables.map((row) => {
    // The stored file decides, not the type the provider named: a wrong type must not hand out the original.
    const file = row.uploadId === null ? undefined : described.get(row.uploadId);
    const isPreview = file !== undefined && isPreviewOnly(order, viewer.role, file.mediaType);
    const previewUrl = row.uploadId !== null && file?.hasPreview === true ? files.link(row.uploadId, 'preview') : null;
    const fullUrl = row.uploadId === null ? row.url : files.link(row.uploadId, 'full');
    return {
      id: row.id,
      order_id: row.orderId,
      round: row.round,
      prompt: row.prompt,
      deliverable_url: isPreview ? previewUrl : fullUrl,
      deliverable_media_type: file?.mediaType ?? row.mediaType,
      content: row.content,
      preview_url: previewUrl,
      is_preview: isPreview,
      status: row.status,
      error: row.error,
      withheld_until: null,
      created_at: toWireTime(row.createdAt),
    };
  });
}

/**
 * Presents a workspace request to the buyer that made it. While results are withheld, it shows that the request was answered, not the
 * answer. The payer may have ended this caller's role as buyer while the agent answered.
 */
export async function presentRequested(
  context: Pick<OrdersContext, 'files'>,
  order: OrderRow,
  caller: Caller,
  row: DeliverableRow,
): Promise<WireDeliverable> {
  const until = withheldUntil(order, { seesResults: false });
  const isShown = !isWithheld(order, { seesResults: false }) && rolesOf(caller, order).length > 0;
  const shown = isShown ? row : { ...row, url: null, content: null, uploadId: null, mediaType: null };
  const [presented] = await presentDeliverables(context, order, { role: 'buyer', seesResults: true }, [shown]);
  if (presented === undefined) throw new Error('one request gives one record');
  return { ...presented, withheld_until: until === null ? null : toWireTime(until) };
}
