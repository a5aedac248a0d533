/** Saves a profile, which makes it public: that of the signed-in account, or else that of the wallet. */
import { MarketError } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { walletSubject } from '../../../access/shown-pictures.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { spreadTwitterHandle } from '../../agents/index.ts';
import {
  ensureUser,
  findWalletProfile,
  forgetHiddenNames,
  keepAvatar,
  listWallets,
  saveWalletProfile,
  showWallets,
  writeUser,
} from '../identity/index.ts';
import { type ProfileChange, presentAccountProfile, presentWalletProfile, toChange } from './present.ts';
import type { ProfilesContext } from './profiles-context.ts';

type Update = HandlersOf<'profiles'>['update'];
type Input = Parameters<Update>[0];
type Asserted = NonNullable<Caller['user']>['identity'];

export function updateProfile(context: ProfilesContext): Update {
  return async (input, call) => await call.commit(async (tx) => ({ data: await saveProfile(tx, input, call, context) }));
}

async function saveProfile(tx: Tx, input: Input, { caller }: Call, context: ProfilesContext) {
  const { user, wallet } = caller;
  const change = toChange(input);
  if (user !== undefined) return await saveAccountProfile(tx, context, { identity: user.identity, caller, input, change });
  if (wallet === undefined) throw new MarketError('unauthenticated');
  const avatar = await keepWalletAvatar(tx, context, caller, wallet.address, change.avatarUrl);
  return presentWalletProfile(await saveWalletProfile(tx, wallet.address, { ...change, ...avatar }, context.clock.now()));
}

/** Makes an uploaded picture public. */
async function keepWalletAvatar(tx: Tx, { files }: ProfilesContext, by: Caller, wallet: string, url: string | null | undefined) {
  if (url === undefined || url === null || url === (await findWalletProfile(tx, wallet))?.avatarUrl) return {};
  await files.requireShowable(tx, url, by);
  return { avatarUrl: await files.show(tx, url, walletSubject(wallet)) };
}

interface Saving {
  readonly identity: Asserted;
  readonly caller: Caller;
  readonly input: Input;
  readonly change: ProfileChange;
}

async function saveAccountProfile(tx: Tx, context: ProfilesContext, { identity, caller, input, change }: Saving) {
  const now = context.clock.now();
  const { user } = await ensureUser(tx, identity, now);
  // The provider asserts the X handle of an account; the person only decides here whether it shows.
  const { twitterHandle: _asserted, avatarUrl, ...own } = change;
  const avatar = avatarUrl === undefined ? {} : { avatarUrl: await keepAvatar(tx, context.files, caller, user, avatarUrl) };
  const showsTwitter = input.show_twitter ?? user.showsTwitter;
  const saved = await writeUser(tx, user.id, {
    ...own,
    ...avatar,
    showsTwitter,
    profileSavedAt: user.profileSavedAt ?? now,
    updatedAt: now,
  });
  const wallets = await listWallets(tx, user.id);
  const shown = input.shown_wallets === undefined ? wallets.filter((wallet) => wallet.shown) : await show(tx, user.id, input.shown_wallets);
  if (saved.twitterUsername !== null) {
    const addresses = wallets.map(({ address }) => address);
    const owner = { userId: user.id, wallets: addresses, handle: saved.twitterUsername, formerHandle: null, shown: showsTwitter };
    await spreadTwitterHandle(tx, owner);
  }
  return presentAccountProfile(saved, (shown.find(({ isPrimary }) => isPrimary) ?? shown[0])?.address ?? null);
}

async function show(tx: Tx, userId: string, named: readonly string[]) {
  const addresses = new Set(named.map((address) => canonicalWallet(address)?.address ?? address));
  const shown = await showWallets(tx, userId, [...addresses]);
  await forgetHiddenNames(tx, userId);
  if (shown.length < addresses.size) {
    throw new MarketError('wallet_link_not_found', {
      message: 'shown_wallets names a wallet that is not linked to your account. Link it first, or leave it out.',
    });
  }
  return shown;
}
