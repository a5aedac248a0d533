/** Turns chosen files and typed text into the items of one delivery. */
import type { Arguments } from '../../../../data/answers.ts';
import type { PendingFile } from './use-uploads.ts';

type Item = NonNullable<Arguments<'orders.deliver'>['deliverables']>[number];

export const MOST_ITEMS = 20;

export interface DeliveryDraft {
  readonly files: readonly PendingFile[];
  readonly link: string;
  readonly text: string;
  readonly isCode: boolean;
}

/** Files come first. A file that could not be sent is left out; the form shows it as failed. */
export function composeDelivery({ files, link, text, isCode }: DeliveryDraft): readonly Item[] {
  return [
    ...files.flatMap(({ uploaded }) =>
      uploaded === undefined ? [] : [{ deliverable_url: uploaded.url, deliverable_media_type: uploaded.media_type }],
    ),
    ...(link.trim() === '' ? [] : [{ deliverable_url: link.trim(), deliverable_media_type: 'link' as const }]),
    ...(text.trim() === '' ? [] : [{ content: text, deliverable_media_type: isCode ? ('code' as const) : ('text' as const) }]),
  ];
}
