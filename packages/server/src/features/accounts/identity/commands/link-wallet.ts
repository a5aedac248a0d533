import { MarketError } from '@market/contract';
import type { Call, HandlersOf } from '../../../../access/call.ts';
import type { WalletCaller } from '../../../../access/caller.ts';
import { storedNetworks } from '../../../../access/proven-networks.ts';
import type { Tx } from '../../../../platform/db/database.ts';
import { newId } from '../../../../platform/random.ts';
import { labelOf } from '../account-label.ts';
import { announceLink } from '../announce-link.ts';
import { ensureUser } from '../ensure-user.ts';
import type { IdentityContext } from '../identity-context.ts';
import { presentWallet } from '../present.ts';
import {
  confirmWalletLink,
  deleteWalletLink,
  deleteWalletLinkOf,
  findWalletLink,
  forgetHiddenNames,
  insertWalletLink,
  type WalletRow,
} from '../repository.ts';

/** Links a wallet to the signed-in account. The wallet must have signed a message that names this account. */
export function linkWallet(context: IdentityContext): HandlersOf<'auth'>['linkWallet'] {
  return async (_input, call) => {
    const { user } = call.caller;
    if (user === undefined) throw new MarketError('unauthenticated');
    const wallet = requireConsent(context, call);
    return await call.commit(async (tx) => {
      const now = context.clock.now();
      await ensureUser(tx, user.identity, now);
      const provenOn = storedNetworks(wallet.provenOn);
      const created = await insertWalletLink(tx, {
        id: newId('uw', now),
        userId: user.id,
        chain: wallet.chain,
        address: wallet.address,
        proof: 'signature',
        confirmedAt: now,
        provenOn,
      });
      const link = created ?? (await findWalletLink(tx, wallet.chain, wallet.address));
      if (link === undefined || link.userId !== user.id) throw new MarketError('wallet_linked_elsewhere');
      if (created === undefined) await confirmWalletLink(tx, link.id, provenOn, now);
      else await announceLink(tx, context, link, 'wallet.linked');
      const claimed = created === undefined ? 0 : await context.agents.countOfWallets(tx, [wallet.address]);
      return { data: { wallet: presentWallet({ ...link, confirmedAt: link.confirmedAt ?? now }), backfilled: { agents: claimed } } };
    });
  };
}

/** Throws with the message to sign unless the wallet agreed to a link with this very account. */
function requireConsent({ actionMessages }: IdentityContext, { caller: { user, wallet } }: Call): WalletCaller {
  const isAgreed = wallet?.action?.action === 'link_wallet' && wallet.action.account === user?.id;
  if (wallet !== undefined && isAgreed) return wallet;
  const subject = user && { action: 'link_wallet' as const, account: user.id, ...labelOf(user.identity) };
  const message = wallet && subject && actionMessages.challenge(subject, wallet).message;
  throw new MarketError('sign_in_message_required', { ...(message !== undefined && { data: { message } }) });
}

export function unlinkWallet(context: IdentityContext): HandlersOf<'auth'>['unlinkWallet'] {
  return async ({ wallet_id: id }, call) => {
    const userId = call.caller.user?.id;
    if (userId === undefined) throw new MarketError('unauthenticated');
    return await call.commit(async (tx) => {
      const link = await deleteWalletLink(tx, userId, id);
      if (link === undefined) throw new MarketError('wallet_link_not_found');
      await partLink(tx, context, link);
      return { data: { id } };
    });
  };
}

/** The wallet itself undoes its link, to whichever account. */
export function undoLink(context: IdentityContext): HandlersOf<'auth'>['undoLink'] {
  return async ({ address }, call) => {
    const { wallet } = call.caller;
    if (wallet === undefined) throw new MarketError('unauthenticated');
    if (wallet.address.toLowerCase() !== address.toLowerCase()) throw new MarketError('wallet_mismatch');
    return await call.commit(async (tx) => {
      const link = await deleteWalletLinkOf(tx, wallet.chain, wallet.address);
      if (link !== undefined) await partLink(tx, context, link);
      return { data: { wallet: wallet.address, undone: link !== undefined } };
    });
  };
}

async function partLink(tx: Tx, context: IdentityContext, link: WalletRow): Promise<void> {
  await announceLink(tx, context, link, 'wallet.link_undone');
  await forgetHiddenNames(tx, link.userId);
  await context.agents.partOwners(tx, context, link);
}
