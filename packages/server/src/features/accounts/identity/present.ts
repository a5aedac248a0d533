/** Accounts and wallets → wire. */
import { type OperationAnswer, type Operations, toFlag, toWireTime } from '@market/contract';
import type { UserRow, WalletRow } from './repository.ts';

type SignedIn = OperationAnswer<Operations['auth']['signIn']>['data'];

export function presentUser(user: UserRow): SignedIn['user'] {
  return {
    idp_user_id: user.id,
    username: user.username,
    display_name: user.displayName ?? user.providerName ?? user.username,
    twitter_username: user.twitterUsername,
    google_email: user.googleEmail,
    email: user.email,
    avatar_url: user.avatarUrl ?? user.providerAvatarUrl,
    bio: user.bio,
    profile: {
      public: user.profileSavedAt !== null,
      display_name: user.displayName,
      avatar_url: user.avatarUrl,
      shows_twitter: user.showsTwitter,
    },
    created_at: toWireTime(user.createdAt),
    updated_at: toWireTime(user.updatedAt),
  };
}

export function presentWallet(wallet: WalletRow): SignedIn['wallets'][number] {
  return {
    id: wallet.id,
    user_id: wallet.userId,
    chain: wallet.chain,
    address: wallet.address,
    is_primary: toFlag(wallet.isPrimary),
    linked_at: toWireTime(wallet.linkedAt),
    confirmed: wallet.confirmedAt !== null,
    shown: wallet.shown,
  };
}
