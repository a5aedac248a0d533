/** An uploaded avatar is public while a public profile or agent shows it. */
import type { Caller } from '../../../access/caller.ts';
import { accountSubject, walletSubject } from '../../../access/shown-pictures.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findAgent, isHiddenAgent } from '../../agents/index.ts';
import { findUser, findWalletProfile } from '../identity/index.ts';

interface AttachedFile {
  readonly id: string;
  readonly subjectIds: readonly string[];
}

/** Undefined for files that no profile shows. */
export function avatarGuard(db: Db) {
  return async (_caller: Caller, { id, subjectIds }: AttachedFile): Promise<'public' | undefined> => {
    for (const subject of subjectIds) {
      // Compare the path only, because the site's address may have changed.
      if ((await shownAvatar(db, subject))?.endsWith(`/${id}`) === true) return 'public';
    }
    return undefined;
  };
}

async function shownAvatar(db: Db, subject: string): Promise<string | null | undefined> {
  const [account, wallet] = [accountSubject(''), walletSubject('')];
  if (subject.startsWith(account)) {
    const user = await findUser(db, subject.slice(account.length));
    return user?.profileSavedAt == null ? undefined : user.avatarUrl;
  }
  if (subject.startsWith(wallet)) return (await findWalletProfile(db, subject.slice(wallet.length)))?.avatarUrl;
  if (!/^(ext|agt)_/.test(subject)) return undefined;
  const agent = await findAgent(db, subject);
  return agent === undefined || isHiddenAgent(agent) ? undefined : agent.avatarUrl;
}
