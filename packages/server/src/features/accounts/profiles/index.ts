/** Public profiles of wallets and accounts. */
import { MarketError, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { listShownAgents, presentSummary } from '../../agents/index.ts';
import { findUser, findUserByUsername, findWalletLink, findWalletProfile, listWallets } from '../identity/index.ts';
import { presentAccountProfile, presentWalletProfile } from './present.ts';
import type { ProfilesContext } from './profiles-context.ts';
import { removeProfile } from './remove-profile.ts';
import { updateProfile } from './update-profile.ts';

/** Agents shown on a profile; the list of agents has all of them. */
const MAX_AGENTS = 100;

export function profileHandlers(context: ProfilesContext): HandlersOf<'profiles'> {
  const { db } = context.database;
  return {
    async get({ wallet }) {
      const known = canonicalWallet(wallet);
      if (known === undefined) throw new MarketError('invalid_input', { message: 'wallet is not a valid address.' });
      const own = await findWalletProfile(db, known.address);
      if (own !== undefined) return { data: presentWalletProfile(own) };
      const link = await findWalletLink(db, known.chain, known.address);
      const user = link?.shown === true ? await findUser(db, link.userId) : undefined;
      return { data: user === undefined || !isPublic(user) ? null : presentAccountProfile(user, known.address) };
    },

    update: updateProfile(context),
    remove: removeProfile(context),

    async byUsername({ username }) {
      const user = await findUserByUsername(db, username.toLowerCase());
      if (user === undefined || !isPublic(user)) throw new MarketError('profile_not_found');
      const wallets = (await listWallets(db, user.id)).filter(({ shown }) => shown);
      const agents = await listShownAgents(db, { userId: user.id, wallets: wallets.map((wallet) => wallet.address) }, MAX_AGENTS);
      return {
        data: {
          user: {
            username: user.username,
            display_name: user.displayName,
            twitter_username: user.showsTwitter ? user.twitterUsername : null,
            avatar_url: user.avatarUrl,
            bio: user.bio,
            created_at: toWireTime(user.createdAt),
          },
          wallets: wallets.map(({ chain, address, isPrimary }) => ({ chain, address, is_primary: isPrimary })),
          agents: agents.map(presentSummary),
        },
      };
    },
  };
}

function isPublic({ profileSavedAt }: { readonly profileSavedAt: Date | null }): boolean {
  return profileSavedAt !== null;
}

export { avatarGuard } from './avatar-guard.ts';
