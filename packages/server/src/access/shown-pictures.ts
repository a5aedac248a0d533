/** Uploaded pictures that a profile or a token shows: what features need of uploads to accept them. */
import type { Db, Tx } from '../platform/db/database.ts';
import type { Caller } from './caller.ts';
import type { OwnedAgent } from './ownership.ts';

/** The agent that shows the picture. Its wallet counts as owner only if it is proven. */
export type PicturedAgent = OwnedAgent & { readonly ownerProven: boolean };

export interface ShownPictures {
  /**
   * Throws for an uploaded file that is no picture, or that the caller may not show: `foreign_upload`. URLs elsewhere pass. The key of an
   * agent may also show its owner's uploads, unless the file is part of an order or a bounty.
   */
  requireShowable(on: Db, url: string, by: Caller, agent?: PicturedAgent): Promise<void>;
  /** Keeps the file as part of the record that shows it, so it is never swept. Returns the URL to store, without a grant. */
  show(tx: Tx, url: string, subjectId: string): Promise<string>;
}

/** Ids of people's records that show pictures. Agents and movements use their own ids. */
export const accountSubject = (userId: string): string => `user:${userId}`;
export const walletSubject = (address: string): string => `wallet:${address}`;
