/** What other features do with uploaded files: take them in, and show addresses that open in a browser. */
import type { UploadId } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { attachUploads, foreignUpload, type Taking } from './attach-uploads.ts';
import { holderOf, isHolder } from './file-holder.ts';
import type { FileLevel } from './file-links.ts';
import { type DescribedUpload, findUpload, listDescribed, type UploadRow } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

/** A file of the caller. */
interface HeldFile {
  /** Its plain address, without a grant. */
  readonly url: string;
  readonly mediaType: UploadRow['mediaType'];
  readonly sizeBytes: number;
}

export interface UploadedFiles {
  /** Undefined for an address elsewhere. Throws `foreign_upload` when the file is not the caller's. */
  findHeld(url: string, by: Caller): Promise<HeldFile | undefined>;
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
    async findHeld(url, by) {
      const id = links.idOf(url);
      if (id === undefined) return undefined;
      const row = await findUpload(database.db, id);
      if (row === undefined || !isHolder(holderOf(by), row)) throw foreignUpload(url);
      return { url: links.urlOf(row.id), mediaType: row.mediaType, sizeBytes: row.sizeBytes };
    },
    attach: (tx, urls, taking) => attachUploads(tx, links, urls, taking),
    link: (uploadId, level) => links.grantFile(uploadId, level),
    openable(url) {
      const id = links.idOf(url);
      return id === undefined ? url : links.grantFile(id as UploadId, 'full');
    },
    describe: async (uploadIds) => new Map((await listDescribed(database.db, uploadIds)).map((row) => [row.id, row])),
  };
}
