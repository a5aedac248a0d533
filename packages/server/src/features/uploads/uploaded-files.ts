/** What other features do with uploaded files: take them in, and show addresses that open in a browser. */
import type { UploadId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { attachUploads, type Taking } from './attach-uploads.ts';
import type { FileLevel } from './file-links.ts';
import { type DescribedUpload, listDescribed } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

export interface UploadedFiles {
  /** Throws `foreign_upload` when a file is not the caller's. The upload behind each address, null for addresses elsewhere. */
  attach(tx: Tx, urls: readonly string[], taking: Taking): Promise<readonly (UploadId | null)[]>;
  /** An address that works without credentials for an hour. */
  link(uploadId: UploadId, level: FileLevel): string;
  /** The same address, or for a file of ours one that works without credentials for an hour. Only for addresses that were attached. */
  openable(url: string): string;
  /** By upload: what the stored bytes are, whatever the sender called them, and whether their preview is made. */
  describe(uploadIds: readonly string[]): Promise<ReadonlyMap<string, DescribedUpload>>;
}

export function uploadedFiles({ database, links }: Pick<UploadsContext, 'database' | 'links'>): UploadedFiles {
  return {
    attach: (tx, urls, taking) => attachUploads(tx, links, urls, taking),
    link: (uploadId, level) => links.grantFile(uploadId, level),
    openable(url) {
      const id = links.idOf(url);
      return id === undefined ? url : links.grantFile(id as UploadId, 'full');
    },
    describe: async (uploadIds) => new Map((await listDescribed(database.db, uploadIds)).map((row) => [row.id, row])),
  };
}
