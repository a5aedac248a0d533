import { z } from 'zod';
import { walletLinkId } from '../../kernel/ids.ts';
import { walletChain } from '../../kernel/wallets.ts';
import { flag, httpUrl, line, text, wireTime } from '../../kernel/wire.ts';

export const username = z
  .string('username must be a string.')
  .regex(
    /^[a-z0-9](?:[a-z0-9_-]{1,28})[a-z0-9]$/,
    'username must be 3-30 lower-case letters, numbers, _ or -, starting and ending with a letter or number.',
  );

const displayName = line(1, 30, 'display_name');
const bio = text(0, 280, 'bio');

export const user = z
  .object({
    idp_user_id: z.string(),
    username: z.string(),
    display_name: z.string().nullable(),
    twitter_username: z.string().nullable(),
    google_email: z.string().nullable(),
    email: z.string().nullable(),
    avatar_url: z.string().nullable(),
    bio: z.string().nullable(),
    profile: z
      .object({
        public: z.boolean().describe('False until you save your profile: strangers then read none'),
        display_name: z.string().nullable().describe('The name that you saved; the provider’s name is never shown'),
        avatar_url: z.string().nullable().describe('The picture that you saved'),
        shows_twitter: z.boolean(),
      })
      .describe('What your profile holds for others'),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'User' });

export const linkedWallet = z
  .object({
    id: walletLinkId,
    user_id: z.string(),
    chain: walletChain,
    address: z.string(),
    is_primary: flag,
    shown: z.boolean().describe('Your public profile names this wallet'),
    linked_at: wireTime,
    confirmed: z
      .boolean()
      .describe('False for a link of an older kind: it reads and acts, and pays only after the wallet signed the link again'),
  })
  .meta({ id: 'LinkedWallet' });

export const backfilled = z.object({ agents: z.int() }).meta({ id: 'Backfilled' });

export const signedInUser = z
  .object({
    user,
    wallets: z.array(linkedWallet),
    is_new: z.boolean().describe('True when this call created the account'),
    backfilled: backfilled.describe('Agents of linked wallets that the account now sees and acts for. Their wallet still owns them'),
  })
  .meta({ id: 'SignedInUser' });

export const updateUserBody = z.object({
  display_name: displayName.optional(),
  username: username.optional(),
  bio: bio.optional(),
  avatar_url: httpUrl
    .nullish()
    .describe('An address elsewhere, or a picture that you uploaded. Everybody may see it once your profile is public'),
});

/** Actions that a wallet agrees to by signing an action message. */
export const signedActions = ['session', 'link_wallet', 'link_agent', 'own_agent'] as const;
export const signedAction = z.enum(signedActions).describe('What the wallet agrees to');
export type SignedAction = (typeof signedActions)[number];

export const actionChallenge = z
  .object({
    action: signedAction,
    wallet: z.string(),
    message: z.string().describe('Sign exactly these bytes'),
    nonce: z.string(),
    issued_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'ActionChallenge' });
