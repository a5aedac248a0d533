/** Logs every action of an operator in the same transaction. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type AdminAction, insertAdminAction } from './admin-actions-repository.ts';

export async function recordAdminAction(tx: Tx, caller: Caller, action: Omit<AdminAction, 'admin'>): Promise<void> {
  await insertAdminAction(tx, { admin: adminName(caller), ...action });
}

/** As `recordAdminAction`, for the few operations that also take the operators' key. */
export async function recordOperatorAction(tx: Tx, caller: Caller, action: Omit<AdminAction, 'admin'>): Promise<void> {
  const isKey = caller.user?.admin !== true && caller.operatorKey === true;
  await insertAdminAction(tx, { admin: isKey ? 'key:admin' : adminName(caller), ...action });
}

/** The account, even if an API key was sent too: agents are not operators. */
export function adminName({ user }: Caller): string {
  if (user?.admin !== true) throw new MarketError('forbidden');
  return `user:${user.id}`;
}
