/** Receives a file: checks its content, inserts its row, stores its bytes, then makes both visible in one commit. */
import { MarketError } from '@market/contract';
import type { Call, HandlersOf, ReceivedFile } from '../../access/call.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { describeUpload } from './describe-upload.ts';
import { previewJob } from './make-previews.ts';
import { presentUpload } from './present.ts';
import { markReady, type NewUpload } from './repository.ts';
import { reserveUpload } from './storage-quota.ts';
import type { UploadsContext } from './uploads-context.ts';

type UploadHandler = HandlersOf<'uploads'>['upload'];

export function receiveUpload(context: UploadsContext, purpose: NewUpload['purpose'], takes?: readonly string[]): UploadHandler {
  return async (_input, call) => {
    const { file } = call;
    if (file === undefined) throw new MarketError('file_missing');
    const { upload } = await describeUpload(context, call.caller, file, purpose);
    if (takes !== undefined && !takes.includes(upload.contentType))
      throw new MarketError('unsupported_file_type', { message: `Only ${takes.join(', ')} are taken here, not ${upload.contentType}.` });

    const row = await reserveUpload(context, call.caller, upload);
    await store(context, call, upload.storageKey, file);
    return await call.commit(async (tx) => {
      if (!(await markReady(tx, row.id))) throw new MarketError('unavailable', { retryAfterSeconds: 1 });
      if (row.mediaType === 'image') await enqueueJobs(tx, [previewJob(row.id)]);
      return { data: presentUpload(row, context.links) };
    });
  };
}

async function store({ storage }: UploadsContext, { log }: Call, key: string, file: ReceivedFile): Promise<void> {
  try {
    await storage.put(key, file);
  } catch (error) {
    // The row stays as `storing`; the clean-up removes it with any stored bytes.
    log.error({ err: error }, 'a file could not be stored');
    throw new MarketError('unavailable', { message: 'The file could not be stored. Try again shortly.', retryAfterSeconds: 5 });
  }
}
