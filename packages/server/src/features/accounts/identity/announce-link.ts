/** Events about links, for the account, the wallet and the account's other wallets. After a day a linked wallet vouches for the account's money. */
import { listWatchingWallets } from '../../../access/authority/links-repository.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { IdentityContext } from './identity-context.ts';
import type { WalletRow } from './repository.ts';

export async function announceLink(
  tx: Tx,
  { events }: Pick<IdentityContext, 'events'>,
  { userId, address, chain }: Pick<WalletRow, 'userId' | 'address' | 'chain'>,
  type: 'wallet.linked' | 'wallet.link_undone',
): Promise<void> {
  // Includes wallets that were unlinked lately: a thief of the account must not silence them by unlinking them first.
  const others = (await listWatchingWallets(tx, userId)).filter((other) => other !== address);
  const readers = [`user:${userId}` as const, ...[address, ...others].map((wallet) => `wallet:${wallet}` as const)];
  const data = { user_id: userId, wallet: address, chain };
  await events.append(tx, [{ type, subjectId: address, readers, data, context: { other_wallets: others } }]);
}
