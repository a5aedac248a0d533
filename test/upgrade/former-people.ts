/** The people of the stored market. Their keys derive from their names, so that the test can sign for them years later. */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import { base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestWallet } from '../harness/people.ts';

export const NETWORK = 'base-mainnet';

export type PersonName =
  /** Owns the agent that sells. */
  | 'seller'
  /** An account with a wallet linked by an ordinary signature. */
  | 'ines'
  /** An account with a wallet that the identity provider vouches for. */
  | 'paula'
  /** A wallet with a session. */
  | 'sam'
  /** Owns an agent whose key paid from this wallet, with a limit, and another without one. */
  | 'olga'
  /** Owns an agent together with an account that is not linked. */
  | 'wanda'
  /** Paid by bare transfers. */
  | 'bare'
  /** Registered an agent by a bare transfer. */
  | 'newcomer'
  /** Deposited in Earn by signature. */
  | 'dora';

export const secretOf = (name: PersonName): Buffer => createHash('sha256').update(`upgrade test ${name}`).digest();

export function walletNamed(name: PersonName): TestWallet {
  const account = privateKeyToAccount(`0x${secretOf(name).toString('hex')}`);
  return { chain: 'base', address: account.address, sign: (text) => account.signMessage({ message: text }) };
}

/** The same person on Solana. */
export function solanaWalletNamed(name: PersonName): TestWallet {
  const secret = secretOf(name);
  return {
    chain: 'solana',
    address: base58.encode(ed25519.getPublicKey(secret)),
    sign: async (text) => base58.encode(ed25519.sign(new TextEncoder().encode(text), secret)),
  };
}

export const emailOf = (name: PersonName): string => `${name}@example.com`;

export interface FormerAgent {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly key: string;
}

/** Ids, keys, tokens and a cookie that people and programs kept. */
export interface Kept {
  readonly services: { readonly one: string; readonly five: string };
  readonly agents: Record<'seller' | 'limited' | 'unlimited' | 'disputed' | 'owned' | 'accounts' | 'both' | 'registered', FormerAgent>;
  readonly cookie: string;
  readonly program: { readonly clientId: string; readonly refreshToken: string; readonly connectionId: string };
  readonly orders: Record<'linked' | 'session' | 'undelivered' | 'delivered' | 'standard' | 'small', string>;
  /** Tokens of the order of the same name. */
  readonly tokens: Record<'undelivered' | 'delivered' | 'standard' | 'small', string>;
  readonly approval: string;
  readonly withdrawTo: string;
}
