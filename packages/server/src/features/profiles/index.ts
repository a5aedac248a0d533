/** Public profiles of wallets and accounts. */
import { MarketError, toWireTime } from '@market/contract';
import type { Call, HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { type ShownPictures, walletSubject } from '../../access/shown-pictures.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { listShownAgents, presentSummary } from '../agents/index.ts';
import {
  ensureUser,
  findUser,
  findUserByUsername,
  findWalletLink,
  findWalletProfile,
  keepAvatar,
  listWallets,
  saveWalletProfile,
  writeUser,
} from '../identity/index.ts';
import { type ProfileChange, presentAccountProfile, presentWalletProfile, toChange } from './present.ts';

/** On the profile; the list of agents has all of them. */
const MOST_AGENTS = 100;

export interface ProfilesContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly serviceName: string;
  /** Uploaded avatars. */
  readonly files: ShownPictures;
}

export function profileHandlers(context: ProfilesContext): HandlersOf<'profiles'> {
  const { db } = context.database;
  return {
    async get({ wallet }) {
      const known = canonicalWallet(wallet);
      if (known === undefined) throw new MarketError('invalid_input', { message: 'wallet is not a valid address.' });
      // A linked wallet shows its account's profile; an unlinked one its own.
      const link = await findWalletLink(db, known.chain, known.address);
      const user = link && (await findUser(db, link.userId));
      if (user !== undefined) return { data: presentAccountProfile(user, known.address) };
      const profile = await findWalletProfile(db, known.address);
      return { data: profile === undefined ? null : presentWalletProfile(profile) };
    },

    async update(input, call) {
      const change = toChange(input);
      return await call.commit(async (tx) => ({ data: await saveProfile(tx, change, call, context) }));
    },

    async byUsername({ username }) {
      const user = await findUserByUsername(db, username.toLowerCase());
      if (user === undefined) throw new MarketError('profile_not_found');
      const wallets = await listWallets(db, user.id);
      const agents = await listShownAgents(db, { userId: user.id, wallets: wallets.map((wallet) => wallet.address) }, MOST_AGENTS);
      return {
        data: {
          user: {
            username: user.username,
            display_name: user.displayName,
            twitter_username: user.twitterUsername,
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

/** Saves the account's profile for a signed-in person or a linked wallet; an unlinked wallet has its own. */
async function saveProfile(tx: Tx, change: ProfileChange, { caller }: Call, context: ProfilesContext) {
  const { user, wallet } = caller;
  const now = context.clock.now();
  if (user !== undefined) {
    const account = await ensureUser(tx, user.identity, now, context.serviceName);
    const primary = (await listWallets(tx, user.id)).find((link) => link.isPrimary)?.address ?? null;
    return await saveAccountProfile(tx, account.user, change, primary, { caller, context, now });
  }
  if (wallet === undefined) throw new MarketError('unauthenticated');
  const link = await findWalletLink(tx, wallet.chain, wallet.address);
  const linked = link && (await findUser(tx, link.userId));
  if (linked !== undefined) return await saveAccountProfile(tx, linked, change, wallet.address, { caller, context, now });
  const avatar = await keepWalletAvatar(tx, context, caller, wallet.address, change.avatarUrl);
  return presentWalletProfile(await saveWalletProfile(tx, wallet.address, { ...change, ...avatar }, now));
}

/** An uploaded picture is public from here on. */
async function keepWalletAvatar(tx: Tx, { files }: ProfilesContext, by: Caller, wallet: string, url: string | null | undefined) {
  if (url === undefined || url === null || url === (await findWalletProfile(tx, wallet))?.avatarUrl) return {};
  await files.requireShowable(tx, url, by);
  return { avatarUrl: await files.show(tx, url, walletSubject(wallet)) };
}

interface Saving {
  readonly caller: Caller;
  readonly context: ProfilesContext;
  readonly now: Date;
}

async function saveAccountProfile(
  tx: Tx,
  user: { readonly id: string; readonly avatarUrl: string | null },
  change: ProfileChange,
  wallet: string | null,
  { caller, context, now }: Saving,
) {
  // The account's X handle is the provider's to assert; here only the name, text and picture change.
  const { twitterHandle: _asserted, avatarUrl, ...own } = change;
  const avatar = avatarUrl === undefined ? {} : { avatarUrl: await keepAvatar(tx, context.files, caller, user, avatarUrl) };
  return presentAccountProfile(await writeUser(tx, user.id, { ...own, ...avatar, updatedAt: now }), wallet);
}

export { avatarGuard } from './avatar-guard.ts';
