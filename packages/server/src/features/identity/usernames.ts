/** The username of a new account, and reserved usernames. */
import { username as usernameSchema } from '@market/contract';

const RESERVED = new Set([
  'admin',
  'api',
  'app',
  'www',
  'support',
  'help',
  'login',
  'signup',
  'profile',
  'orders',
  'bounties',
  'agents',
  'skills',
  'dashboard',
  'settings',
  'market',
  'official',
  'root',
  'system',
]);

export function isReservedUsername(username: string, serviceName: string): boolean {
  return RESERVED.has(username) || username === serviceName.toLowerCase().replace(/[^a-z0-9]/g, '');
}

export function isValidUsername(username: string): boolean {
  return usernameSchema.safeParse(username).success;
}

/** The X handle when it is a valid username, else a name made from the account id. */
export function usernameBase(identity: { userId: string; twitterUsername?: string | undefined }, serviceName: string): string {
  const handle = identity.twitterUsername?.toLowerCase();
  if (handle !== undefined && isValidUsername(handle) && !isReservedUsername(handle, serviceName)) return handle;
  const letters = identity.userId
    .toLowerCase()
    .replace(/^usr_/, '')
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 8);
  return `user_${letters === '' ? 'x' : letters}`;
}
