/** Attaches uploads to a record: from then on they are kept, and the feature that owns the record decides who may read them. */
import { MarketError, type UploadId } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { holderOf } from './file-holder.ts';
import type { FileLinks } from './file-links.ts';
import { attach, lockHeldUploads } from './repository.ts';

export interface Taking {
  /** The caller, who must have uploaded the files. */
  readonly by: Caller;
  /** The order or other record they become part of. */
  readonly subjectId: string;
}

/** The upload behind each address, in the given order; null for addresses that lead elsewhere. */
export async function attachUploads(
  tx: Tx,
  links: FileLinks,
  urls: readonly string[],
  { by, subjectId }: Taking,
): Promise<(UploadId | null)[]> {
  const ids = urls.map((url) => links.idOf(url));
  const wanted = [...new Set(ids.filter((id) => id !== undefined))];
  const rows = await lockHeldUploads(tx, wanted, holderOf(by));
  const held = new Map(rows.map(({ id }): [string, UploadId] => [id, id]));
  const missing = wanted.find((id) => !held.has(id));
  if (missing !== undefined) throw foreignUpload(urls[ids.indexOf(missing)] ?? missing);
  await attach(tx, [...held.values()], subjectId);
  return ids.map((id) => (id === undefined ? null : (held.get(id) ?? null)));
}

/** Unknown and foreign files get the same answer, so that it does not reveal whether a file exists. */
export function foreignUpload(url: string): MarketError {
  return new MarketError('foreign_upload', { message: `There is no upload of yours at ${url.slice(0, 200)}.` });
}
