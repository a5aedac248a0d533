import type { Caller } from '../../access/caller.ts';
import type { FileHolder, UploadRow } from './repository.ts';

export function holderOf({ agent, user, wallet }: Caller): FileHolder {
  return {
    ...(agent && { agentId: agent.id }),
    ...(user && { userId: user.id }),
    wallets: [...(user?.wallets ?? []), ...(wallet ? [wallet.address] : [])],
  };
}

export function isHolder({ agentId, userId, wallets }: FileHolder, upload: UploadRow): boolean {
  return (
    (agentId !== undefined && upload.agentId === agentId) ||
    (userId !== undefined && upload.userId === userId) ||
    (upload.wallet !== null && wallets.includes(upload.wallet))
  );
}
