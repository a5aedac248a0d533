/** Refuses banned callers, by any of their identities. */
import { MarketError } from '@market/contract';
import type { Db } from '../platform/db/database.ts';
import { limitedClient } from '../platform/limits/client-address.ts';
import type { Caller } from './caller.ts';
import { type BannableIdentity, type BannablePerson, isBanned } from './credentials-repository.ts';

export async function refuseBanned(db: Db, caller: Caller, clientAddress: string): Promise<void> {
  if (await isCallerBanned(db, caller, clientAddress)) throw new MarketError('banned');
}

/** Rechecks a caller who was admitted some time ago: bans read at that time are outdated. */
export async function refuseBannedMeanwhile(db: Db, caller: Caller, clientAddress: string): Promise<void> {
  if (await isBanned(db, shownIdentities(caller, clientAddress), peopleBehind(caller))) throw new MarketError('banned');
}

export async function isCallerBanned(db: Db, caller: Caller, clientAddress: string): Promise<boolean> {
  const { agent, user, wallet, walletElsewhere, connection } = caller;
  const isKeyAlone = user === undefined && wallet === undefined && walletElsewhere === undefined && connection === undefined;
  if (isKeyAlone && agent?.ban?.address === limitedClient(clientAddress)) return agent.ban.banned;
  return await isBanned(db, shownIdentities(caller, clientAddress), peopleBehind(caller));
}

/** Identities that the request shows, as bans spell them. A token may hold more than the account's record. */
function shownIdentities({ user, wallet, walletElsewhere, onBehalfOf }: Caller, clientAddress: string): BannableIdentity[] {
  const shown: BannableIdentity[] = [{ kind: 'ip', value: limitedClient(clientAddress) }];
  for (const signer of [wallet, walletElsewhere, onBehalfOf])
    if (signer !== undefined) shown.push({ kind: 'wallet', value: signer.address });
  if (user === undefined) return shown;
  shown.push({ kind: 'idp', value: user.id });
  const { email, googleEmail, twitterUsername, wallets } = user.identity;
  for (const address of [email, googleEmail]) if (address !== undefined) shown.push({ kind: 'email', value: address.toLowerCase() });
  if (twitterUsername !== undefined) shown.push({ kind: 'twitter', value: twitterUsername });
  for (const address of [...user.wallets, ...wallets.map((claimed) => claimed.address)]) shown.push({ kind: 'wallet', value: address });
  return shown;
}

/** People whose other identities the database looks up. An agent stands for its owner. */
function peopleBehind({ agent, user, wallet, onBehalfOf }: Caller): BannablePerson[] {
  return [
    ...(user === undefined ? [] : [{ userId: user.id, wallet: null }]),
    ...[wallet, onBehalfOf].flatMap((one) => (one === undefined ? [] : [{ userId: null, wallet: one.address }])),
    ...(agent === undefined ? [] : [{ userId: agent.ownerUserId, wallet: agent.recordedOwnerWallet }]),
  ];
}

/** For callers known only by the wallet that paid. */
export async function refuseBannedWallet(db: Db, wallet: string): Promise<void> {
  if (await isBanned(db, [{ kind: 'wallet', value: wallet }], [{ userId: null, wallet }])) throw new MarketError('banned');
}
