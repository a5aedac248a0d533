// Validates and normalises the fields of the person who signs in.

import { createHash } from 'node:crypto';

export interface PersonWallet {
  readonly chain: 'solana' | 'base';
  readonly address: string;
}

export interface PersonInput {
  readonly email: string;
  readonly name?: string | undefined;
  readonly twitter_username?: string | undefined;
  readonly wallets?: readonly PersonWallet[] | undefined;
  readonly admin?: boolean | undefined;
}

/** A checked person. `admin` belongs to one sign-in, so it is not part of the person. */
export interface Person {
  readonly email: string;
  readonly name?: string;
  readonly twitter_username?: string;
  readonly wallets?: readonly PersonWallet[];
}

export class InvalidPersonError extends Error {
  readonly field: keyof PersonInput;

  constructor(field: keyof PersonInput, message: string) {
    super(message);
    this.name = 'InvalidPersonError';
    this.field = field;
  }
}

export const MAX_EMAIL_LENGTH = 254;
export const MAX_NAME_LENGTH = 100;
const MAX_WALLETS = 20;

// The rule of browsers for <input type="email">.
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
const X_HANDLE = /^[A-Za-z0-9_]{1,15}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const ADDRESS = { solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, base: /^0x[0-9a-fA-F]{40}$/ };

export function readPerson(input: PersonInput): Person {
  const name = readName(input.name);
  const handle = readHandle(input.twitter_username);
  return {
    email: readEmail(input.email),
    ...(name === undefined ? {} : { name }),
    ...(handle === undefined ? {} : { twitter_username: handle }),
    ...(input.wallets === undefined ? {} : { wallets: readWallets(input.wallets) }),
  };
}

/** Derives the user id from the address, so that it is the same on every machine and after every restart. */
export function deriveUserId(email: string): string {
  return `usr_${createHash('sha256').update(email).digest('hex').slice(0, 24)}`;
}

function readEmail(value: string): string {
  const email = value.trim();
  if (email === '') throw new InvalidPersonError('email', 'Enter an e-mail address. It can be invented: nothing is sent to it.');
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) {
    throw new InvalidPersonError('email', 'This is not an e-mail address. Use the form name@example.com.');
  }
  return email.toLowerCase();
}

function readName(value: string | undefined): string | undefined {
  const name = value?.trim();
  if (!name) return undefined;
  if (name.length > MAX_NAME_LENGTH) throw new InvalidPersonError('name', `Use a name of at most ${MAX_NAME_LENGTH} characters.`);
  if (CONTROL_CHARACTER.test(name)) throw new InvalidPersonError('name', 'Write the name on one line, without control characters.');
  return name;
}

function readHandle(value: string | undefined): string | undefined {
  const handle = value?.trim().replace(/^@/, '');
  if (!handle) return undefined;
  if (!X_HANDLE.test(handle)) {
    throw new InvalidPersonError('twitter_username', 'An X handle has 1 to 15 letters, numbers or underscores.');
  }
  return handle;
}

function readWallets(wallets: readonly PersonWallet[]): readonly PersonWallet[] {
  if (wallets.length > MAX_WALLETS) throw new InvalidPersonError('wallets', `Name at most ${MAX_WALLETS} wallets.`);
  return wallets.map(({ chain, address }) => {
    if (!Object.hasOwn(ADDRESS, chain)) throw new InvalidPersonError('wallets', 'The chain of a wallet is solana or base.');
    if (!ADDRESS[chain].test(address)) throw new InvalidPersonError('wallets', `This is not a ${chain} address. Check it.`);
    return { chain, address };
  });
}
