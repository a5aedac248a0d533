/** Takes in a picture that the marketplace downloaded for the caller, as if the caller had uploaded it. The same bytes are kept once. */
import { MarketError, type UploadId } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { actingWallet } from '../../access/caller.ts';
import { newId, newStorageKey } from '../../platform/random.ts';
import { holderOf } from './file-holder.ts';
import { judgeFile } from './judge-file.ts';
import { findSameBytes, markReady, type NewUpload, type UploadRow } from './repository.ts';
import { reserveUpload } from './storage-quota.ts';
import type { UploadsContext } from './uploads-context.ts';

/** Throws what an upload of these bytes would: unreadable or too large as a picture, no room left, no storage. */
export async function copyPicture(
  context: UploadsContext,
  bytes: Buffer,
  { caller, log }: Pick<Call, 'caller' | 'log'>,
): Promise<UploadRow> {
  const { database, spool, storage } = context;
  const file = await spool.write([bytes], bytes.length);
  try {
    const { type, size } = await judgeFile({ ...file, fileName: 'picture', declaredType: '', discard: async () => undefined });
    if (type.mediaType !== 'image') throw new MarketError('unsupported_file_type');
    const known = await findSameBytes(database.db, file.sha256, holderOf(caller));
    if (known !== undefined) return known;
    const row = await reserveUpload(context, caller, {
      id: newId('upl', context.clock.now()) as UploadId,
      storageKey: newStorageKey(),
      purpose: 'deliverable',
      agentId: caller.agent?.id ?? null,
      userId: caller.user?.id ?? caller.agent?.ownerUserId ?? null,
      wallet: actingWallet(caller)?.address ?? caller.agent?.ownerWallet ?? null,
      contentType: type.contentType,
      mediaType: type.mediaType,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      fileName: `${file.sha256}.${type.extensions[0]}`,
      width: size?.width ?? null,
      height: size?.height ?? null,
    } satisfies NewUpload);
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
