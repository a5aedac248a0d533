/** Creates the account row on first sign-in and updates it with the provider's claims. Text that the person wrote stays. */

import type { Tx } from '../../../platform/db/database.ts';
import type { IdpIdentity } from '../../../platform/idp/idp-claims.ts';
import { findUser, insertUser, lockAccountCreation, type UserRow, updateUser } from './repository.ts';
import { randomUsername } from './usernames.ts';

export interface EnsuredUser {
  readonly user: UserRow;
  readonly isNew: boolean;
  /** The X handle before this call. */
  readonly formerHandle: string | null;
}

export async function ensureUser(tx: Tx, identity: IdpIdentity, now: Date): Promise<EnsuredUser> {
  await lockAccountCreation(tx, identity.userId);
  const known = await findUser(tx, identity.userId);
  if (known === undefined) return { user: await createUser(tx, identity, now), isNew: true, formerHandle: null };

  const asserted = {
    email: identity.email ?? known.email,
    googleEmail: identity.googleEmail ?? known.googleEmail,
    googleSubject: identity.googleSubject ?? known.googleSubject,
    twitterUsername: identity.twitterUsername ?? known.twitterUsername,
    twitterSubject: identity.twitterSubject ?? known.twitterSubject,
    providerAvatarUrl: known.providerAvatarUrl ?? identity.avatarUrl ?? null,
  };
  const changed = (Object.keys(asserted) as (keyof typeof asserted)[]).some((field) => asserted[field] !== known[field]);
  const user = changed ? await updateUser(tx, known.id, { ...asserted, updatedAt: now }) : known;
  return { user, isNew: false, formerHandle: known.twitterUsername };
}

/** Picks a random username, because one made from the person's name would reveal it. */
async function createUser(tx: Tx, identity: IdpIdentity, now: Date): Promise<UserRow> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const user = await insertUser(tx, describe(identity, randomUsername(), now));
    if (user !== undefined) return user;
  }
  throw new Error('no random username was free');
}

function describe(identity: IdpIdentity, username: string, now: Date): Parameters<typeof insertUser>[1] {
  return {
    id: identity.userId,
    username,
    // Cut to 30 code units, without half a surrogate pair at the end.
    providerName: identity.name?.slice(0, 30).replace(/[\ud800-\udbff]$/, '') ?? null,
    displayName: null,
    email: identity.email ?? null,
    googleEmail: identity.googleEmail ?? null,
    googleSubject: identity.googleSubject ?? null,
    twitterUsername: identity.twitterUsername ?? null,
    twitterSubject: identity.twitterSubject ?? null,
    providerAvatarUrl: identity.avatarUrl ?? null,
    avatarUrl: null,
    bio: null,
    createdAt: now,
    updatedAt: now,
  };
}
