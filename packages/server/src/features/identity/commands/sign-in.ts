import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { IdpIdentity } from '../../../platform/idp/idp-claims.ts';
import { newId } from '../../../platform/random.ts';
import { ensureUser } from '../ensure-user.ts';
import type { IdentityContext } from '../identity-context.ts';
import { presentUser, presentWallet } from '../present.ts';
import { insertWalletLink, listWallets } from '../repository.ts';

export function signIn(context: IdentityContext): HandlersOf<'auth'>['signIn'] {
  return async (_input, call) => {
    const identity = call.caller.user?.identity;
    if (identity === undefined) throw new MarketError('unauthenticated');
    return await call.commit(async (tx) => {
      const now = context.clock.now();
      const { user, isNew, formerHandle } = await ensureUser(tx, identity, now, context.serviceName);
      const newlyLinked = await linkAssertedWallets(tx, identity, now);
      const wallets = await listWallets(tx, user.id);
      if (user.twitterUsername !== null) {
        const addresses = wallets.map((wallet) => wallet.address);
        await context.agents.spreadTwitterHandle(tx, { userId: user.id, wallets: addresses, handle: user.twitterUsername, formerHandle });
      }
      if (isNew) await context.events.append(tx, [{ type: 'user.created', subjectId: user.id, data: { username: user.username } }]);
      const backfilled = { agents: await context.agents.countOfWallets(tx, newlyLinked) };
      return { data: { user: presentUser(user), wallets: wallets.map(presentWallet), is_new: isNew, backfilled } };
    });
  };
}

/** A wallet that another account has linked stays there: the provider's word does not take it away. */
async function linkAssertedWallets(tx: Tx, identity: IdpIdentity, now: Date): Promise<string[]> {
  const linked: string[] = [];
  for (const wallet of identity.wallets) {
    const link = await insertWalletLink(tx, { id: newId('uw', now), userId: identity.userId, ...wallet, proof: 'idp' });
    if (link !== undefined) linked.push(link.address);
  }
  return linked;
}
