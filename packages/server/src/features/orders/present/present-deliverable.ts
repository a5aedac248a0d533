/** Deliverables as a viewer may see them. Until completion the buyer gets a preview of an image. */
import { type OperationAnswer, type Operations, type OrderRole, toWireTime } from '@market/contract';
import type { OrdersContext } from '../orders-context.ts';
import type { DeliverableRow, OrderRow } from '../repository.ts';

export type WireDeliverable = OperationAnswer<Operations['orders']['get']>['data']['deliverables'][number];

/** A machine sees the original at once, because its provider is already paid. */
export function isPreviewOnly(order: OrderRow, viewer: OrderRole, mediaType: string | null): boolean {
  return viewer === 'buyer' && order.status !== 'completed' && order.kind !== 'machine' && mediaType === 'image';
}

export async function presentDeliverables(
  { files }: Pick<OrdersContext, 'files'>,
  order: OrderRow,
  viewer: OrderRole,
  deliverables: readonly DeliverableRow[],
): Promise<WireDeliverable[]> {
  const described = await files.describe(deliverables.map(({ uploadId }) => uploadId).filter((id) => id !== null));
  return deliverables.map((row) => {
    // The stored file decides, not the type the provider named: a wrong type must not hand out the original.
    const file = row.uploadId === null ? undefined : described.get(row.uploadId);
    const isPreview = file !== undefined && isPreviewOnly(order, viewer, file.mediaType);
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
      created_at: toWireTime(row.createdAt),
    };
  });
}
