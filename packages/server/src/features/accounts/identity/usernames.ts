/** The username of a new account, and reserved usernames. */
import { username as usernameSchema } from '@market/contract';
import { newNameEnd } from '../../../platform/random.ts';

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

/** The username of a new account. It contains nothing about the person. */
export function randomUsername(): string {
  return `user_${newNameEnd()}`;
}
