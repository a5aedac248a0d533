/** Makes previews of images in a job after the upload: the request does not wait, and an unreadable picture does no harm. */
import type { UploadId } from '@market/contract';
import { z } from 'zod';
import { PreviewFailedError, renderPreview } from '../../platform/images/render-preview.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import type { NewJob } from '../../platform/jobs/job-repository.ts';
import { findUpload, setPreview } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

const MAKE_PREVIEW = 'upload.preview';
const QUEUE = 'previews';
/** A picture of 720 pixels is far smaller; anything above is not one. */
const MOST_PREVIEW_BYTES = 2 * 1024 * 1024;

export function previewJob(id: UploadId): NewJob {
  return { kind: MAKE_PREVIEW, queue: QUEUE, payload: { upload_id: id }, uniqueKey: `${MAKE_PREVIEW}:${id}` };
}

export function makePreviewsJob(context: UploadsContext): JobDefinition {
  // One at a time in this process: unpacking a picture may take 750 MB.
  let turn: Promise<unknown> = Promise.resolve();
  return defineJob({
    kind: MAKE_PREVIEW,
    queue: QUEUE,
    payload: z.object({ upload_id: z.string() }),
    retryAfterSeconds: [5, 60, 600],
    async run({ upload_id: id }, { signal }) {
      const mine = turn.then(() => makePreview(context, id, signal));
      turn = mine.catch(() => undefined);
      await mine;
    },
  });
}

async function makePreview(context: UploadsContext, id: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const upload = await findUpload(context.database.db, id);
  if (upload === undefined || upload.previewKey !== null) return;
  try {
    const picture = await renderPreview(await context.storage.open(upload.storageKey), signal);
    const file = await context.spool.write([picture], MOST_PREVIEW_BYTES);
    // The same key every time: a second attempt replaces what the first may have left, and removal finds it.
    const key = previewKeyOf(upload.storageKey);
    try {
      await context.storage.put(key, file);
    } finally {
      await context.spool.discard(file);
    }
    await setPreview(context.database.db, upload.id, { key, sizeBytes: picture.length });
  } catch (error) {
    if (!(error instanceof PreviewFailedError)) throw error;
    context.log.warn({ err: error, upload: id }, 'no preview could be made; the placeholder stays');
  }
}

export function previewKeyOf(storageKey: string): string {
  return `${storageKey}-preview`;
}
