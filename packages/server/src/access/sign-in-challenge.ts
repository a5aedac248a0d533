/** The sign-in challenge for a wallet: the `sign-in-with-x` extension, in the form that x402 clients expect. */

import { type NetworkName, usualNetwork } from '@market/contract';
import { networkNamed } from '../platform/chains/network-named.ts';
import type { SignInMessage } from './sign-in-message.ts';
import type { SignInNonces } from './sign-in-nonces.ts';

export const SIGN_IN_MAX_AGE_MS = 15 * 60_000;

/** Plain letters only: EIP-4361 allows few other characters. A message with another statement was signed for something else. */
export const SIGN_IN_STATEMENT = 'Sign in to read and steer your orders. This moves no money.';

/** A network whose wallets may sign in. */
export interface SignInChain {
  readonly network: NetworkName;
  /** CAIP-2. */
  readonly chainId: string;
  readonly type: SignInMessage['type'];
  readonly usdcAddress: string;
  readonly treasury: string;
}

export type SignInExtension = Readonly<Record<'sign-in-with-x', Record<string, unknown>>>;

export interface ChallengeParts {
  readonly nonces: SignInNonces;
  readonly chains: readonly SignInChain[];
  readonly now: Date;
}

/** `address`: the absolute URL of the request. */
export function signInExtension(address: URL, { nonces, chains, now }: ChallengeParts): SignInExtension {
  const issuedAt = now.toISOString();
  const uri = `${address.origin}${address.pathname}`;
  const info = {
    domain: address.host,
    uri,
    version: '1',
    statement: SIGN_IN_STATEMENT,
    nonce: nonces.issue(issuedAt),
    issuedAt,
    expirationTime: new Date(now.getTime() + SIGN_IN_MAX_AGE_MS).toISOString(),
    resources: [uri],
  };
  return { 'sign-in-with-x': { info, supportedChains: chains.map(({ chainId, type }) => ({ chainId, type })), schema } };
}

/**
 * The official `wrapFetchWithSIWx` signs for the network of the first entry in `accepts`, so there must be one. No client can pay with this
 * scheme, and the amount is zero.
 */
export function signInRequirement({ chainId, usdcAddress, treasury }: SignInChain): Record<string, unknown> {
  return {
    scheme: 'sign-in-with-x',
    network: chainId,
    amount: '0',
    asset: usdcAddress,
    payTo: treasury,
    maxTimeoutSeconds: SIGN_IN_MAX_AGE_MS / 1000,
    extra: {},
  };
}

/** The chain that the client names; by default Base, or the first one. */
export function chooseSignInChain(chains: readonly SignInChain[], named: string | undefined): SignInChain | undefined {
  const known = chains.map(({ network, chainId }) => ({ network, caip2: chainId }));
  const wanted = named === undefined ? undefined : networkNamed(named, known);
  return chains.find(({ network }) => network === wanted) ?? chains.find(({ network }) => network === usualNetwork.evm) ?? chains[0];
}

const text = { type: 'string' } as const;
const address = { type: 'string', format: 'uri' } as const;
const time = { type: 'string', format: 'date-time' } as const;

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri: address,
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: time,
    expirationTime: time,
    notBefore: time,
    requestId: text,
    resources: { type: 'array', items: address },
    signature: text,
  },
  required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
} as const;
