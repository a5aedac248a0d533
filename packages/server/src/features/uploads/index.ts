/** Uploaded files: types, quotas, previews and access. */
import type { HandlersOf } from '../../access/call.ts';
import type { JobDefinition } from '../../platform/jobs/job.ts';
import { clearUploadsJob } from './clear-uploads.ts';
import { makePreviewsJob } from './make-previews.ts';
import { receiveUpload } from './receive-upload.ts';
import { removeUpload } from './remove-upload.ts';
import { storageOf } from './storage-quota.ts';
import type { UploadsContext } from './uploads-context.ts';

const BRIEF_IMAGES = ['image/jpeg', 'image/png', 'image/webp'];

export function uploadHandlers(context: UploadsContext): HandlersOf<'uploads'> {
  return {
    upload: receiveUpload(context, 'deliverable'),
    briefImage: receiveUpload(context, 'brief_image', BRIEF_IMAGES),
    usage: async (_input, { caller }) => ({ data: await storageOf(context.database.db, context.quotas, caller) }),
    remove: removeUpload(),
  };
}

export function uploadJobs(context: UploadsContext): readonly JobDefinition[] {
  return [makePreviewsJob(context), clearUploadsJob(context)];
}

export { createFileLinks, FILES_PATH } from './file-links.ts';
export { createFileOpener, type FileGuard, type OpenFile, type ReadableFile } from './open-file.ts';
export { uploadedFiles } from './uploaded-files.ts';
