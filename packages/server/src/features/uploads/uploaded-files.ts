/** Uploaded files for other features: attaches them, and gives addresses that open in a browser. */
import type { UploadId } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import type { PicturedAgent, ShownPictures } from '../../access/shown-pictures.ts';
import type { Tx } from '../../platform/db/database.ts';
import { attachUploads, type Taking } from './attach-uploads.ts';
import { copyPicture } from './copy-picture.ts';
import type { FileLevel } from './file-links.ts';
import { type DescribedUpload, listDescribed, type UploadRow } from './repository.ts';
import { findShowable, shownPictures } from './shown-pictures.ts';
import type { UploadsContext } from './uploads-context.ts';

/** A file that the caller may use. */
interface HeldFile {
  /** Its plain address, without a grant. */
  readonly url: string;
  readonly mediaType: UploadRow['mediaType'];
  readonly sizeBytes: number;
}

export interface UploadedFiles extends ShownPictures {
  /** Undefined for an address elsewhere. Throws `foreign_upload` when neither the caller nor this agent may show the file. */
  findPicture(url: string, by: Caller, agent: PicturedAgent): Promise<HeldFile | undefined>;
  /** Keeps a downloaded picture as an upload of the caller. Throws the errors of such an upload. */
  copyPicture(bytes: Buffer, call: Pick<Call, 'caller' | 'log'>): Promise<HeldFile>;
  /** Throws `foreign_upload` when a file is not the caller's. Returns the upload behind each address, null for addresses elsewhere. */
  attach(tx: Tx, urls: readonly string[], taking: Taking): Promise<readonly (UploadId | null)[]>;
  /** An address that works without credentials for an hour. */
  link(uploadId: UploadId, level: FileLevel): string;
  /** The same address, or for a file of ours one that works without credentials for an hour. Only for addresses that were attached. */
  openable(url: string): string;
  /** By upload: the type of the stored bytes, whatever the sender called it, and whether their preview is made. */
  describe(uploadIds: readonly string[]): Promise<ReadonlyMap<string, DescribedUpload>>;
}

export function uploadedFiles(context: UploadsContext): UploadedFiles {
  const { database, links } = context;
  const held = ({ id, mediaType, sizeBytes }: UploadRow): HeldFile => ({ url: links.urlOf(id), mediaType, sizeBytes });
  return {
    ...shownPictures(links),
    async findPicture(url, by, agent) {
      const row = await findShowable(database.db, links, url, by, agent);
      return row && held(row);
    },
    copyPicture: async (bytes, call) => held(await copyPicture(context, bytes, call)),
    attach: (tx, urls, taking) => attachUploads(tx, links, urls, taking),
    link: (uploadId, level) => links.grantFile(uploadId, level),
    openable(url) {
      const id = links.idOf(url);
      return id === undefined ? url : links.grantFile(id as UploadId, 'full');
    },
    describe: async (uploadIds) => new Map((await listDescribed(database.db, uploadIds)).map((row) => [row.id, row])),
  };
}
