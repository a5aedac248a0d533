/** What orders need of uploaded files. Wired in by the composition root, so that uploads need not know orders nor the other way round. */
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
  /** Addresses a browser can open for a while without credentials. */
  link(uploadId: string, level: 'full' | 'preview'): string;
  /** The same address, or for a file of ours one that a party can open without credentials for a while. */
  openable(url: string): string;
  /** By upload: what the stored bytes are, whatever the sender called them, and whether their preview is made. */
  describe(uploadIds: readonly string[]): Promise<ReadonlyMap<string, DescribedFile>>;
}
