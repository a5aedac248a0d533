import type { Caller } from '../../../access/caller.ts';
import { accountSubject, type ShownPictures } from '../../../access/shown-pictures.ts';
import type { Tx } from '../../../platform/db/database.ts';

interface PicturedUser {
  readonly id: string;
  readonly avatarUrl: string | null;
}

/** Returns the address to store as the avatar of an account, and makes an uploaded picture public. */
export async function keepAvatar(tx: Tx, files: ShownPictures, by: Caller, user: PicturedUser, url: string | null): Promise<string | null> {
  if (url === null || url === user.avatarUrl) return url;
  await files.requireShowable(tx, url, by);
  return await files.show(tx, url, accountSubject(user.id));
}
