/** Banned parties are refused everywhere, whichever of their identities they come with. */
import { MarketError } from '@market/contract';
import type { Db } from '../platform/db/database.ts';
import type { Caller } from './caller.ts';
import { type BanKind, isBanned } from './credentials-repository.ts';

export async function refuseBanned(db: Db, { agent, user, wallet }: Caller, clientAddress: string): Promise<void> {
  const identities: { kind: BanKind; value: string }[] = [{ kind: 'ip', value: clientAddress }];
  if (user) {
    identities.push({ kind: 'idp', value: user.id });
    if (user.identity.email) identities.push({ kind: 'email', value: user.identity.email.toLowerCase() });
    if (user.identity.twitterUsername) identities.push({ kind: 'twitter', value: user.identity.twitterUsername });
    for (const address of user.wallets) identities.push({ kind: 'wallet', value: address });
  }
  if (agent?.ownerUserId) identities.push({ kind: 'idp', value: agent.ownerUserId });
  if (agent?.ownerWallet) identities.push({ kind: 'wallet', value: agent.ownerWallet });
  if (wallet) identities.push({ kind: 'wallet', value: wallet.address });
  if (await isBanned(db, identities)) throw new MarketError('banned');
}
