/** Dependencies of this feature. */
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { CustodyContext } from '../custody/index.ts';

/** Pictures that were uploaded here. Calls throw `foreign_upload` when a file is not the caller's. */
export interface TokenPictures {
  /** Undefined for an address elsewhere. `url` is without a grant. */
  findHeld(url: string, by: Caller): Promise<{ readonly url: string; readonly mediaType: string; readonly sizeBytes: number } | undefined>;
  /** Makes files part of a record; addresses elsewhere are left alone. */
  attach(tx: Tx, urls: readonly string[], taking: { readonly by: Caller; readonly subjectId: string }): Promise<unknown>;
}

export interface LaunchesContext {
  /** The wallets that pay. */
  readonly custody: CustodyContext;
  /** Downloads pictures. */
  readonly outbound: OutboundClient;
  readonly files: TokenPictures;
  readonly appUrl: string;
}
