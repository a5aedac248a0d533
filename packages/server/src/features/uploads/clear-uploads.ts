/** Removes files that were never attached, and partial files left by crashed processes. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { previewKeyOf } from './make-previews.ts';
import { deleteUpload, markForRemoval } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

const AT_ONCE = 200;

export function clearUploadsJob({ database, storage, spool }: UploadsContext): JobDefinition {
  return defineJob({
    kind: 'upload.clear',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 600,
    async run() {
      await spool.sweep();
      for (const upload of await markForRemoval(database.db, AT_ONCE)) {
        await storage.remove(upload.storageKey);
        await storage.remove(previewKeyOf(upload.storageKey));
        await deleteUpload(database.db, upload.id);
      }
    },
  });
}
