import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { isUniqueViolation } from '../../../../platform/db/database.ts';
import type { IdentityContext } from '../identity-context.ts';
import { keepAvatar } from '../keep-avatar.ts';
import { presentUser } from '../present.ts';
import { lockUser, updateUser as writeUser } from '../repository.ts';
import { isReservedUsername } from '../usernames.ts';

export function updateUser(context: IdentityContext): HandlersOf<'auth'>['updateUser'] {
  return async (input, call) => {
    const userId = call.caller.user?.id;
    if (userId === undefined) throw new MarketError('unauthenticated');
    try {
      return await call.commit(async (tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) throw new MarketError('user_not_found');
        const renames = input.username !== undefined && input.username !== user.username;
        if (renames && isReservedUsername(input.username as string, context.serviceName)) throw new MarketError('username_reserved');
        if (Object.keys(input).length === 0) return { data: { user: presentUser(user) } };
        const updated = await writeUser(tx, userId, {
          ...(input.display_name !== undefined && { displayName: input.display_name }),
          ...(input.username !== undefined && { username: input.username }),
          ...(input.bio !== undefined && { bio: input.bio === '' ? null : input.bio }),
          ...(input.avatar_url !== undefined && { avatarUrl: await keepAvatar(tx, context.files, call.caller, user, input.avatar_url) }),
          updatedAt: context.clock.now(),
        });
        return { data: { user: presentUser(updated) } };
      });
    } catch (error) {
      if (isUniqueViolation(error, 'users_username_key')) throw new MarketError('username_taken');
      throw error;
    }
  };
}
