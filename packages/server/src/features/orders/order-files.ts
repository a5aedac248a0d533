/** Uploaded files as orders use them. The composition root hands them in, so that neither feature imports the other. */
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';

export interface DescribedFile {
  readonly mediaType: 'image' | 'video' | 'document' | 'text' | 'code';
  readonly hasPreview: boolean;
}

export interface OrderFiles {
  /**
   * Takes files into an order; throws when one is not the caller's. Returns the upload behind each address, null for addresses elsewhere.
   */
  attach(tx: Tx, urls: readonly string[], taken: { readonly by: Caller; readonly subjectId: string }): Promise<readonly (string | null)[]>;
  /** An address that a browser can open for a while without credentials. */
  link(uploadId: string, level: 'full' | 'preview'): string;
  /** For a file of ours, an address that opens without credentials for a while; any other address unchanged. */
  openable(url: string): string;
  /** By upload: the type of the stored bytes, and whether a preview exists. The sender's name for the type does not count. */
  describe(uploadIds: readonly string[]): Promise<ReadonlyMap<string, DescribedFile>>;
}
