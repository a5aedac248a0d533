/** The account row of a signed-in person: created on first sign-in, updated with the provider's claims, keeping the person's own text. */

import type { Tx } from '../../platform/db/database.ts';
import type { IdpIdentity } from '../../platform/idp/idp-claims.ts';
import { newId } from '../../platform/random.ts';
import { findUser, insertUser, listTakenUsernames, lockAccountCreation, type UserRow, updateUser } from './repository.ts';
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

/** The first free of `base`, `base2`, … `base99`, then one with a random end. Others may take a name while we look: then the next. */
async function createUser(tx: Tx, identity: IdpIdentity, now: Date, serviceName: string): Promise<UserRow> {
  const base = usernameBase(identity, serviceName);
  const numbered = [base, ...Array.from({ length: 98 }, (_, index) => `${base}${index + 2}`)];
  const taken = await listTakenUsernames(tx, numbered);
  const free = numbered.filter((candidate) => !taken.has(candidate));
  const random = Array.from({ length: 5 }, () => `${base.slice(0, 25)}_${newId('u', now).slice(-4)}`);
  for (const username of [...free, ...random]) {
    const user = await insertUser(tx, describe(identity, username, now));
    if (user !== undefined) return user;
  }
  throw new Error(`no username was free for ${base}`);
}

function describe(identity: IdpIdentity, username: string, now: Date): Parameters<typeof insertUser>[1] {
  return {
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
  };
}
