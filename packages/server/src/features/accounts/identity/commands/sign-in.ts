import { MarketError } from '@market/contract';
import { noteProvenWallet } from '../../../../access/authority/known-wallets-repository.ts';
import type { Call, HandlersOf } from '../../../../access/call.ts';
import { TOKEN_COOKIE } from '../../../../access/sessions.ts';
import type { Tx } from '../../../../platform/db/database.ts';
import type { IdpIdentity } from '../../../../platform/idp/idp-claims.ts';
import { newId } from '../../../../platform/random.ts';
import { announceLink } from '../announce-link.ts';
import { ensureUser } from '../ensure-user.ts';
import type { IdentityContext } from '../identity-context.ts';
import { presentUser, presentWallet } from '../present.ts';
import { insertWalletLink, listUndone, listWallets } from '../repository.ts';

export function signIn(context: IdentityContext): HandlersOf<'auth'>['signIn'] {
  return async ({ remember }, call) => {
    const identity = call.caller.user?.identity;
    if (identity === undefined) throw new MarketError('unauthenticated');
    if (remember === true) keepSignedIn(call, context.clock.realNow());
    return await call.commit(async (tx) => {
      const now = context.clock.now();
      const { user, isNew, formerHandle } = await ensureUser(tx, identity, now);
      const newlyLinked = await linkAssertedWallets(tx, context, identity, now);
      const wallets = await listWallets(tx, user.id);
      if (user.twitterUsername !== null) {
        const addresses = wallets.map((wallet) => wallet.address);
        const { id: userId, twitterUsername: handle, showsTwitter: shown } = user;
        await context.agents.spreadTwitterHandle(tx, { userId, wallets: addresses, handle, formerHandle, shown });
      }
      if (isNew)
        await context.events.append(tx, [
          { type: 'user.created', subjectId: user.id, readers: [`user:${user.id}`], data: { username: user.username } },
        ]);
      const backfilled = { agents: await context.agents.countOfWallets(tx, newlyLinked) };
      return { data: { user: presentUser(user), wallets: wallets.map(presentWallet), is_new: isNew, backfilled } };
    });
  };
}

/** Keeps the token in an HttpOnly cookie until it expires. */
function keepSignedIn({ accountToken, setCookie }: Call, now: Date): void {
  if (accountToken === undefined) return;
  const secondsLeft = readExpiry(accountToken) - Math.floor(now.getTime() / 1000);
  if (secondsLeft > 0) setCookie(TOKEN_COOKIE, accountToken, secondsLeft);
}

/** Reads `exp` of a token that was already verified. */
function readExpiry(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const expiry = claims !== null && typeof claims === 'object' && 'exp' in claims ? claims.exp : undefined;
  return typeof expiry === 'number' ? expiry : 0;
}

/**
 * Links the wallets that the provider asserts. The provider's claim moves no wallet away from another account, and restores no undone link.
 * Only the wallet's own message does.
 */
async function linkAssertedWallets(tx: Tx, context: IdentityContext, identity: IdpIdentity, now: Date): Promise<string[]> {
  const linked: string[] = [];
  const undone =
    identity.wallets.length === 0
      ? new Set()
      : await listUndone(
          tx,
          identity.userId,
          identity.wallets.map(({ address }) => address),
        );
  for (const wallet of identity.wallets) {
    if (undone.has(wallet.address)) continue;
    const link = await insertWalletLink(tx, {
      id: newId('uw', now),
      userId: identity.userId,
      ...wallet,
      proof: 'idp',
      confirmedAt: now,
      provenOn: null,
    });
    if (link === undefined) continue;
    linked.push(link.address);
    await noteProvenWallet(tx, link.address, 'link');
    await announceLink(tx, context, link, 'wallet.linked');
  }
  return linked;
}
