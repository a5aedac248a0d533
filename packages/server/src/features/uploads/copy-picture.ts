/** Takes in a picture that the marketplace downloaded for the caller, as if the caller had uploaded it. The same bytes are kept once. */
import { MarketError } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { describeUpload } from './describe-upload.ts';
import { holderOf } from './file-holder.ts';
import { findSameBytes, markReady, type UploadRow } from './repository.ts';
import { reserveUpload } from './storage-quota.ts';
import type { UploadsContext } from './uploads-context.ts';

/** Throws the errors of an upload: unreadable or too large as a picture, no room left, no storage. */
export async function copyPicture(
  context: UploadsContext,
  bytes: Buffer,
  { caller, log }: Pick<Call, 'caller' | 'log'>,
): Promise<UploadRow> {
  const { database, spool, storage } = context;
  const file = await spool.write([bytes], bytes.length);
  try {
    const received = { ...file, fileName: 'picture', declaredType: '', discard: async () => undefined };
    const { upload, extension } = await describeUpload(context, caller, received, 'deliverable');
    if (upload.mediaType !== 'image') throw new MarketError('unsupported_file_type');
    const known = await findSameBytes(database.db, file.sha256, holderOf(caller));
    if (known !== undefined) return known;
    const row = await reserveUpload(context, caller, { ...upload, fileName: `${file.sha256}.${extension}` });
    await storage.put(row.storageKey, file).catch((error: unknown) => {
      // The row stays as `storing`; the clean-up removes it.
      log.error({ err: error }, 'a picture could not be stored');
      throw new MarketError('unavailable', {
        message: 'The picture could not be stored. Nothing was paid. Try again shortly.',
        retryAfterSeconds: 5,
      });
    });
    const isKept = await database.transaction((tx) => markReady(tx, row.id));
    if (!isKept) throw new MarketError('unavailable', { retryAfterSeconds: 1 });
    return row;
  } finally {
    await spool.discard(file);
  }
}
