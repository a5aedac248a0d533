/** The row of an uploaded file: its holder, and the type that its bytes show. */
import type { UploadId } from '@market/contract';
import type { ReceivedFile } from '../../access/call.ts';
import { actingWallet, type Caller } from '../../access/caller.ts';
import { newId, newStorageKey } from '../../platform/random.ts';
import { cleanFileName } from './file-name.ts';
import { judgeFile } from './judge-file.ts';
import type { NewUpload } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

export async function describeUpload(
  { clock }: Pick<UploadsContext, 'clock'>,
  caller: Caller,
  file: ReceivedFile,
  purpose: NewUpload['purpose'],
) {
  const { type, size } = await judgeFile(file);
  const upload = {
    id: newId('upl', clock.now()) as UploadId,
    storageKey: newStorageKey(),
    purpose,
    agentId: caller.agent?.id ?? null,
    userId: caller.user?.id ?? caller.agent?.ownerUserId ?? null,
    wallet: actingWallet(caller)?.address ?? caller.agent?.ownerWallet ?? null,
    contentType: type.contentType,
    mediaType: type.mediaType,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    fileName: cleanFileName(file.fileName),
    width: size?.width ?? null,
    height: size?.height ?? null,
  } satisfies NewUpload;
  return { upload, extension: type.extensions[0] };
}
