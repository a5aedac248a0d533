/** Whatever an operator does goes on record in the transaction that does it. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type AdminAction, insertAdminAction } from './admin-actions-repository.ts';

export async function recordAdminAction(tx: Tx, caller: Caller, action: Omit<AdminAction, 'admin'>): Promise<void> {
  await insertAdminAction(tx, { admin: adminName(caller), ...action });
}

/** The account, also when a key came along: agents are no operators. */
export function adminName({ user }: Caller): string {
  if (user?.admin !== true) throw new MarketError('forbidden');
  return `user:${user.id}`;
}
