import { type OperationAnswer, type OperationArguments, type Operations, toWireTime } from '@market/contract';

type Profile = OperationAnswer<Operations['profiles']['update']>['data'];
type Input = OperationArguments<Operations['profiles']['update']>;

export interface ProfileChange {
  readonly displayName?: string | null;
  readonly bio?: string | null;
  readonly avatarUrl?: string | null;
  readonly twitterHandle?: string | null;
}

/** Absent fields stay, empty fields are cleared. */
export function toChange(input: Input): ProfileChange {
  return {
    ...(input.display_name !== undefined && { displayName: input.display_name || null }),
    ...(input.bio !== undefined && { bio: input.bio || null }),
    ...(input.avatar_url !== undefined && { avatarUrl: input.avatar_url || null }),
    ...(input.twitter_handle !== undefined && { twitterHandle: input.twitter_handle || null }),
  };
}

interface Face {
  readonly displayName: string | null;
  readonly bio: string | null;
  readonly avatarUrl: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function presentWalletProfile(profile: Face & { wallet: string; twitterHandle: string | null }): Profile {
  return presentFace(profile, profile.wallet, profile.twitterHandle);
}

export function presentAccountProfile(user: Face & { twitterUsername: string | null }, wallet: string | null): Profile {
  return presentFace(user, wallet, user.twitterUsername);
}

function presentFace(face: Face, wallet: string | null, twitterHandle: string | null): Profile {
  return {
    wallet,
    display_name: face.displayName,
    bio: face.bio,
    avatar_url: face.avatarUrl,
    twitter_handle: twitterHandle,
    created_at: toWireTime(face.createdAt),
    updated_at: toWireTime(face.updatedAt),
  };
}
