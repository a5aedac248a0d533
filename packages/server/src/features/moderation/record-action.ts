/** Logs actions of operators in the transaction of the action. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type AdminAction, insertAdminAction } from './admin-actions-repository.ts';

export async function recordAdminAction(tx: Tx, caller: Caller, action: Omit<AdminAction, 'admin'>): Promise<void> {
  await insertAdminAction(tx, { admin: adminName(caller), ...action });
}

/** Same as `recordAdminAction`, for the few operations that also accept the operators' key. */
export async function recordOperatorAction(tx: Tx, caller: Caller, action: Omit<AdminAction, 'admin'>): Promise<void> {
  const isKey = caller.user?.admin !== true && caller.operatorKey === true;
  await insertAdminAction(tx, { admin: isKey ? 'key:admin' : adminName(caller), ...action });
}

/** The operator's account, even beside an API key, because agents are not operators. */
export function adminName({ user }: Caller): string {
  if (user?.admin !== true) throw new MarketError('forbidden');
  return `user:${user.id}`;
}
