import { z } from 'zod';
import { agentId, walletLinkId } from '../kernel/ids.ts';
import { defineOperation } from '../kernel/operation.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { walletChain } from '../kernel/wallets.ts';
import { backfilled, linkedWallet, signedInUser, updateUserBody, user } from './schema.ts';

const exampleUser = {
  idp_user_id: 'usr_7c1d',
  username: 'ines',
  display_name: 'Ines',
  twitter_username: null,
  google_email: 'ines@example.com',
  email: 'ines@example.com',
  avatar_url: null,
  bio: null,
  created_at: '2026-11-15 09:00:00',
  updated_at: '2026-11-15 09:00:00',
};

const exampleWallet = {
  id: 'uw_1700000000000_k3v9x1q7a',
  user_id: 'usr_7c1d',
  chain: 'solana',
  address: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  is_primary: 1,
  linked_at: '2026-11-15 09:00:00',
};

export const identityOperations = {
  signIn: defineOperation({
    summary: 'Sign in with an identity-provider token',
    description:
      'Creates the account on first use, updates the fields that the provider asserts, and links the wallets it names. With `remember` the token is kept as the ' +
      'cookie `idp-token` (HttpOnly, SameSite=Lax) for as long as it is good.',
    input: { body: z.object({ remember: z.boolean().optional().describe('For browsers: stay signed in by cookie') }) },
    output: { data: signedInUser },
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true, setsCookie: true },
    rest: { method: 'POST', path: '/api/auth/user' },
    examples: [{ title: 'First sign-in', data: { user: exampleUser, wallets: [exampleWallet], is_new: true, backfilled: { agents: 0 } } }],
  }),

  exchangeCode: defineOperation({
    summary: 'Exchange an authorization code for a sign-in token',
    description:
      'The last step of the authorization code flow with PKCE. The service asks the identity provider itself, so the provider needs no CORS settings. ' +
      'The code must have been issued to the site (`IDP_CLIENT_ID`) for its address `/sign-in`. Sign in with the token at POST /api/auth/user.',
    input: {
      body: z.object({
        code: z.string().min(1).max(4096).describe('As the provider returned it'),
        code_verifier: z
          .string()
          .regex(/^[A-Za-z0-9._~-]{43,128}$/, 'code_verifier must have 43 to 128 unreserved characters.')
          .describe('The secret behind the `code_challenge` (RFC 7636)'),
      }),
    },
    output: {
      data: z.object({ access_token: z.string().describe('A JWT: the access token, or the id token where the access token is opaque') }),
    },
    errors: ['sign_in_refused', 'idp_not_configured', 'idp_unavailable'],
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.exchangeCode,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/auth/code' },
    examples: [
      {
        title: 'Back from the provider',
        input: { code: 'SplxlOBeZQQYbYS6WxSbIA', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
        data: { access_token: 'eyJhbGciOiJSUzI1NiJ9.…' },
      },
    ],
  }),

  user: defineOperation({
    summary: 'Read your account',
    output: { data: signedInUser },
    errors: ['user_not_found'],
    access: { accepts: ['idp'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/auth/user' },
    examples: [{ title: 'Account', data: { user: exampleUser, wallets: [exampleWallet], is_new: false, backfilled: { agents: 0 } } }],
  }),

  updateUser: defineOperation({
    summary: 'Change your account',
    input: { body: updateUserBody },
    output: { data: z.object({ user }) },
    errors: ['user_not_found', 'username_taken', 'username_reserved'],
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/auth/user' },
    examples: [{ title: 'New name', input: { display_name: 'Ines' }, data: { user: exampleUser } }],
  }),

  checkUsername: defineOperation({
    summary: 'Ask whether a username is free',
    input: { query: z.object({ u: z.string().max(100).describe('The name to check') }) },
    output: { data: z.object({ available: z.boolean(), reason: z.enum(['taken', 'invalid', 'reserved']).nullable() }) },
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.checkUsername,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/auth/check-username' },
    examples: [{ title: 'Free', input: { u: 'ines' }, data: { available: true, reason: null } }],
  }),

  whoami: defineOperation({
    summary: 'Read your proven identities',
    description: 'Every identity the credentials of this request prove. Useful to test a key, a token or a signature.',
    output: {
      data: z.object({
        agent: z.object({ agent_id: agentId, name: z.string() }).nullable(),
        user: z
          .object({
            idp_user_id: z.string(),
            name: z.string().nullable().describe('Display name, else username; null for an account without either'),
            admin: z.boolean(),
          })
          .nullable(),
        wallet: z.object({ chain: walletChain, address: z.string(), proof: z.enum(['signature', 'session']) }).nullable(),
      }),
    },
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/auth/whoami' },
    examples: [
      {
        title: 'With an API key',
        data: { agent: { agent_id: 'ext_1700000000000_k3v9x1q7a', name: 'Tallyrook' }, user: null, wallet: null },
      },
    ],
  }),

  createSession: defineOperation({
    summary: 'Exchange a wallet signature for a session cookie',
    description:
      'Sets `__Host-market_session`, or `market_session` on a sandbox without https (HttpOnly, SameSite=Lax, 7 days, renewed with use). Custody actions still need their own signature.',
    output: { data: z.object({ wallet: z.string(), chain: walletChain, expires_at: z.iso.datetime() }) },
    errors: ['invalid_signature', 'signature_expired'],
    access: { accepts: ['wallet'] },
    limit: furtherRateLimits.createSession,
    effects: { kind: 'write', setsCookie: true },
    rest: { method: 'POST', path: '/api/auth/session' },
    examples: [
      {
        title: 'Signed in by wallet',
        data: { wallet: exampleWallet.address, chain: 'solana', expires_at: '2026-11-22T09:00:00.000Z' },
      },
    ],
  }),

  endSession: defineOperation({
    summary: 'End the session',
    description: 'Ends the session of the wallet and forgets the token of the account in this browser.',
    output: { data: z.object({ ended: z.boolean() }) },
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'write', idempotent: true, setsCookie: true },
    rest: { method: 'DELETE', path: '/api/auth/session' },
    examples: [{ title: 'Signed out', data: { ended: true } }],
  }),

  linkWallet: defineOperation({
    summary: 'Link a wallet to your account',
    description: 'Send the sign-in token and a fresh signature of the wallet in one request.',
    output: { data: z.object({ wallet: linkedWallet, backfilled }) },
    errors: ['user_not_found', 'wallet_linked_elsewhere', 'invalid_signature'],
    access: { accepts: ['idp'], tier: 'single_use', rule: 'Needs both: the sign-in token and the signature of the wallet.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/auth/wallets' },
    examples: [{ title: 'Linked', data: { wallet: exampleWallet, backfilled: { agents: 1 } } }],
  }),

  unlinkWallet: defineOperation({
    summary: 'Unlink a wallet from your account',
    input: { path: z.object({ wallet_id: walletLinkId }) },
    output: { data: z.object({ id: walletLinkId }) },
    errors: ['user_not_found', 'wallet_link_not_found'],
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/auth/wallets/{wallet_id}' },
    examples: [{ title: 'Unlinked', input: { wallet_id: exampleWallet.id }, data: { id: exampleWallet.id } }],
  }),
};
