/** Makes a profile private again and deletes what it said. Account, orders and agents stay. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { spreadTwitterHandle } from '../../agents/index.ts';
import { forgetProfile, forgetWalletProfile, listWallets } from '../identity/index.ts';
import type { ProfilesContext } from './profiles-context.ts';

export function removeProfile(context: ProfilesContext): HandlersOf<'profiles'>['remove'] {
  return async (_input, call) => {
    const { user, wallet } = call.caller;
    if (user === undefined && wallet === undefined) throw new MarketError('unauthenticated');
    return await call.commit(async (tx) => {
      if (user === undefined) return { data: { removed: wallet !== undefined && (await forgetWalletProfile(tx, wallet.address)) } };
      const { wasPublic, handle } = await forgetProfile(tx, user.id, context.clock.now());
      if (handle !== null) {
        const wallets = (await listWallets(tx, user.id)).map(({ address }) => address);
        await spreadTwitterHandle(tx, { userId: user.id, wallets, handle, formerHandle: null, shown: false });
      }
      return { data: { removed: wasPublic } };
    });
  };
}
