/** The picture of a token is for everybody: wallets and explorers load it from the metadata. Pictures of hidden agents are not shown. */
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findAgent, isPublicAgent } from '../../agents/index.ts';
import { findMadeOf } from './repository.ts';

/** Undefined for all other files. */
export function tokenPictureGuard(db: Db) {
  return async (_caller: Caller, { subjectIds }: { readonly subjectIds: readonly string[] }): Promise<'public' | undefined> => {
    const movements = subjectIds.filter((id) => id.startsWith('mov_'));
    const made = movements.length === 0 ? undefined : await findMadeOf(db, movements);
    const agent = made === undefined ? undefined : await findAgent(db, made.agentId);
    return agent !== undefined && isPublicAgent(agent) ? 'public' : undefined;
  };
}
