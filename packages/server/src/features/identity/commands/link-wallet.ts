import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { newId } from '../../../platform/random.ts';
import { ensureUser } from '../ensure-user.ts';
import type { IdentityContext } from '../identity-context.ts';
import { presentWallet } from '../present.ts';
import { deleteWalletLink, findWalletLink, insertWalletLink } from '../repository.ts';

export function linkWallet(context: IdentityContext): HandlersOf<'auth'>['linkWallet'] {
  return async (_input, call) => {
    const { user, wallet } = call.caller;
    if (user === undefined) throw new MarketError('unauthenticated');
    if (wallet === undefined || wallet.proof === 'session')
      throw new MarketError('invalid_signature', {
        message: 'Linking a wallet needs its signature: wallet, wallet_sig and wallet_sig_ts.',
      });
    return await call.commit(async (tx) => {
      const now = context.clock.now();
      await ensureUser(tx, user.identity, now, context.serviceName);
      const created = await insertWalletLink(tx, {
        id: newId('uw', now),
        userId: user.id,
        chain: wallet.chain,
        address: wallet.address,
        proof: 'signature',
      });
      const link = created ?? (await findWalletLink(tx, wallet.chain, wallet.address));
      if (link === undefined || link.userId !== user.id) throw new MarketError('wallet_linked_elsewhere');
      const claimed = created === undefined ? 0 : await context.agents.countOfWallets(tx, [wallet.address]);
      return { data: { wallet: presentWallet(link), backfilled: { agents: claimed } } };
    });
  };
}

export function unlinkWallet(): HandlersOf<'auth'>['unlinkWallet'] {
  return async ({ wallet_id: id }, call) => {
    const userId = call.caller.user?.id;
    if (userId === undefined) throw new MarketError('unauthenticated');
    return await call.commit(async (tx) => {
      if (!(await deleteWalletLink(tx, userId, id))) throw new MarketError('wallet_link_not_found');
      return { data: { id } };
    });
  };
}
