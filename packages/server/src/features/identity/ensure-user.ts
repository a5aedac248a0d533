/** The account row of a signed-in person: made on first sight, refreshed with what the provider asserts, never losing what the person wrote. */

import type { Tx } from '../../platform/db/database.ts';
import type { IdpIdentity } from '../../platform/idp/idp-claims.ts';
import { newId } from '../../platform/random.ts';
import { findUser, freeUsername, insertUser, lockAccountCreation, type UserRow, updateUser } from './repository.ts';
import { usernameBase } from './usernames.ts';

export interface EnsuredUser {
  readonly user: UserRow;
  readonly isNew: boolean;
  /** The X handle before this call. */
  readonly formerHandle: string | null;
}

export async function ensureUser(tx: Tx, identity: IdpIdentity, now: Date, serviceName: string): Promise<EnsuredUser> {
  await lockAccountCreation(tx, identity.userId);
  const known = await findUser(tx, identity.userId);
  if (known === undefined) return { user: await createUser(tx, identity, now, serviceName), isNew: true, formerHandle: null };

  const asserted = {
    email: identity.email ?? known.email,
    googleEmail: identity.googleEmail ?? known.googleEmail,
    googleSubject: identity.googleSubject ?? known.googleSubject,
    twitterUsername: identity.twitterUsername ?? known.twitterUsername,
    twitterSubject: identity.twitterSubject ?? known.twitterSubject,
    avatarUrl: known.avatarUrl ?? identity.avatarUrl ?? null,
  };
  const changed = (Object.keys(asserted) as (keyof typeof asserted)[]).some((field) => asserted[field] !== known[field]);
  const user = changed ? await updateUser(tx, known.id, { ...asserted, updatedAt: now }) : known;
  return { user, isNew: false, formerHandle: known.twitterUsername };
}

async function createUser(tx: Tx, identity: IdpIdentity, now: Date, serviceName: string): Promise<UserRow> {
  const base = usernameBase(identity, serviceName);
  const username = (await freeUsername(tx, base)) ?? `${base.slice(0, 25)}_${newId('u', now).slice(-4)}`;
  return await insertUser(tx, {
    id: identity.userId,
    username,
    // Cut without leaving half a character.
    displayName: identity.name?.slice(0, 30).replace(/[\ud800-\udbff]$/, '') ?? username,
    email: identity.email ?? null,
    googleEmail: identity.googleEmail ?? null,
    googleSubject: identity.googleSubject ?? null,
    twitterUsername: identity.twitterUsername ?? null,
    twitterSubject: identity.twitterSubject ?? null,
    avatarUrl: identity.avatarUrl ?? null,
    bio: null,
    createdAt: now,
    updatedAt: now,
  });
}
