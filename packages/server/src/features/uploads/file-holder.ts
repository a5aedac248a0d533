import { type Caller, walletsOf } from '../../access/caller.ts';
import type { FileHolder, UploadRow } from './repository.ts';

export function holderOf(caller: Caller): FileHolder {
  const { agent, user } = caller;
  return {
    ...(agent && { agentId: agent.id }),
    ...(user && { userId: user.id }),
    wallets: walletsOf(caller),
  };
}

export function isHolder({ agentId, userId, wallets }: FileHolder, upload: UploadRow): boolean {
  return (
    (agentId !== undefined && upload.agentId === agentId) ||
    (userId !== undefined && upload.userId === userId) ||
    (upload.wallet !== null && wallets.includes(upload.wallet))
  );
}
