/** Deletes a file that is not attached. It stops counting at once; a job removes the bytes. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { holderOf } from './file-holder.ts';
import { lockHeldUploads, markRemoving } from './repository.ts';

export function removeUpload(): HandlersOf<'uploads'>['remove'] {
  return async ({ upload_id: id }, call) =>
    await call.commit(async (tx) => {
      const [upload] = await lockHeldUploads(tx, [id], holderOf(call.caller));
      if (upload === undefined) throw new MarketError('upload_not_found');
      if (upload.attached) throw new MarketError('upload_in_use');
      await markRemoving(tx, upload.id);
      return { data: { upload_id: upload.id, size_bytes: upload.sizeBytes } };
    });
}
