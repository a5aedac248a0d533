/** The canonical spelling of an identity, for storing bans and comparing callers with them. */
import { isIP } from 'node:net';
import { MarketError } from '@market/contract';
import type { BanKind } from '../../access/credentials-repository.ts';
import { limitedClient } from '../../platform/limits/client-address.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';

const spellings: Record<BanKind, { readonly read: (value: string) => string | undefined; readonly wanted: string }> = {
  idp: { read: (value) => matching(value, /^[\x21-\x7e]{1,128}$/), wanted: 'the id of an account' },
  email: { read: (value) => matching(value.toLowerCase(), /^[^\s@]+@[^\s@]+$/), wanted: 'an e-mail address' },
  twitter: { read: (value) => matching(value.replace(/^@/, '').toLowerCase(), /^[a-z0-9_]{1,15}$/), wanted: 'an X handle' },
  wallet: { read: (value) => canonicalWallet(value)?.address, wanted: 'a Solana or EVM address' },
  ip: { read: readAddress, wanted: 'an IPv4 or IPv6 address' },
};

export function canonicalIdentity(kind: BanKind, value: string): string {
  const { read, wanted } = spellings[kind];
  const canonical = read(value);
  if (canonical === undefined) throw new MarketError('invalid_identity', { message: `value must be ${wanted} for kind ${kind}.` });
  return canonical;
}

/** For IPv6 the whole /64 is banned, because a client can use any address in it. */
function readAddress(value: string): string | undefined {
  const address = value.replace(/\/64$/, '');
  return isIP(address) === 0 || address.includes('%') ? undefined : limitedClient(address);
}

function matching(value: string, pattern: RegExp): string | undefined {
  return pattern.test(value) ? value : undefined;
}
