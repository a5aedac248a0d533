import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { agentId, walletLinkId } from '../../kernel/ids.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { walletAddress, walletChain } from '../../kernel/wallets.ts';
import { actionChallenge, backfilled, linkedWallet, signedAction, signedInUser, updateUserBody, user } from './schema.ts';

const exampleUser = {
  idp_user_id: 'usr_7c1d',
  username: 'ines',
  display_name: 'Ines',
  twitter_username: null,
  google_email: 'ines@example.com',
  email: 'ines@example.com',
  avatar_url: null,
  bio: null,
  profile: { public: true, display_name: 'Ines', avatar_url: null, shows_twitter: false },
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
  confirmed: true,
  shown: false,
};

const exampleChallenge = {
  action: 'session' as const,
  wallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  message:
    'mercato.example wants you to sign in with your Ethereum account:\n0x52908400098527886E0F7030069857D2E4169EE7\n\nSign in to Mercato for 7 days: read, act, pay and set limits as this wallet. Moving held money asks again.\n\nURI: https://mercato.example/api/auth/session\nVersion: 1\nChain ID: 8453\nNonce: 9c1e5a7740d2b86f03a1d4c2e7f98b60\nIssued At: 2026-11-17T22:00:00.000Z\nExpiration Time: 2026-11-17T22:05:00.000Z\nRequest ID: session',
  nonce: '9c1e5a7740d2b86f03a1d4c2e7f98b60',
  issued_at: '2026-11-17T22:00:00.000Z',
  expires_at: '2026-11-17T22:05:00.000Z',
};

export const identityOperations = {
  signIn: defineOperation({
    summary: 'Sign in with an identity-provider token',
    description:
      'Creates the account on first use, updates the fields that the provider asserts, and links the wallets it names. With `remember` the token is kept as the ' +
      'cookie `idp-token` (HttpOnly, SameSite=Lax) for as long as it is good.',
    input: { body: z.object({ remember: z.boolean().optional().describe('For browsers: stay signed in by cookie') }) },
    output: { data: signedInUser },
    power: 'self',
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
    power: 'public',
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
    power: 'read',
    access: { accepts: ['idp'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/auth/user' },
    examples: [{ title: 'Account', data: { user: exampleUser, wallets: [exampleWallet], is_new: false, backfilled: { agents: 0 } } }],
  }),

  updateUser: defineOperation({
    summary: 'Change your account',
    input: { body: updateUserBody },
    output: { data: z.object({ user }) },
    errors: ['user_not_found', 'username_taken', 'username_reserved', 'foreign_upload'],
    power: 'self',
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/auth/user' },
    examples: [{ title: 'New name', input: { display_name: 'Ines' }, data: { user: exampleUser } }],
  }),

  checkUsername: defineOperation({
    summary: 'Ask whether a username is free',
    input: { query: z.object({ u: z.string().max(100).describe('The name to check') }) },
    output: { data: z.object({ available: z.boolean(), reason: z.enum(['taken', 'invalid', 'reserved']).nullable() }) },
    power: 'public',
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
    power: 'public',
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

  challenge: defineOperation({
    summary: 'Get the message that a wallet signs for an action',
    description:
      'A sign-in message (EIP-4361 on EVM, its twin on Solana) that names our host, the action and the account. Sign its exact bytes and send it with the action as `signed_message`, `wallet` and `wallet_sig`. It is good for 5 minutes and one call. `link_wallet` and `link_agent` need the sign-in token of the account; `link_agent` and `own_agent` need `agent_id`.',
    input: {
      body: z.object({
        action: signedAction,
        wallet: walletAddress.describe('The wallet that will sign'),
        chain: walletChain.optional(),
        agent_id: z.string().min(1).max(80).optional().describe('Agent id or slug, for actions about an agent'),
      }),
    },
    output: { data: actionChallenge },
    errors: ['unauthenticated', 'agent_not_found', 'idp_not_configured'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.challenge,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/auth/challenge' },
    examples: [{ title: 'Sign in', input: { action: 'session', wallet: exampleChallenge.wallet }, data: exampleChallenge }],
  }),

  createSession: defineOperation({
    summary: 'Sign in with a wallet',
    description:
      'Takes a signed action message (`session`): send `wallet`, `signed_message` and `wallet_sig` in the body. Sets `__Host-market_session`, or `market_session` on a sandbox without https (HttpOnly, SameSite=Lax, 7 days, renewed with use for at most 30). Custody actions still need their own signature.',
    output: { data: z.object({ wallet: z.string(), chain: walletChain, expires_at: z.iso.datetime() }) },
    errors: ['invalid_signature', 'signature_expired', 'sign_in_message_required'],
    power: 'grant',
    proofs: ['action'],
    withoutProofs: ['custody'],
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
    description:
      'Ends the session of the wallet and forgets the token of the account in this browser. With a signature of the wallet it ends all sessions of that wallet, in every browser.',
    output: { data: z.object({ ended: z.boolean() }) },
    power: 'revoke',
    proofs: ['none'],
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'write', idempotent: true, setsCookie: true },
    rest: { method: 'DELETE', path: '/api/auth/session' },
    examples: [{ title: 'Signed out', data: { ended: true } }],
  }),

  linkWallet: defineOperation({
    summary: 'Link a wallet to your account',
    description:
      'Send the sign-in token and the signed action message (`link_wallet`) of the wallet in one request: `wallet`, `signed_message` and `wallet_sig` in the body. The account then sees the wallet’s orders and deposits, acts in its orders and pays with its transfers. It cannot move what the wallet owns. The wallet’s other sessions are notified, and the wallet can undo the link.',
    output: { data: z.object({ wallet: linkedWallet, backfilled }) },
    errors: ['user_not_found', 'wallet_linked_elsewhere', 'invalid_signature', 'sign_in_message_required'],
    power: 'grant',
    proofs: ['action'],
    withoutProofs: ['custody'],
    access: { accepts: ['idp'], together: 'wallet', rule: 'Needs both: the sign-in token and the signed action message of the wallet.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/auth/wallets' },
    examples: [{ title: 'Linked', data: { wallet: exampleWallet, backfilled: { agents: 1 } } }],
  }),

  unlinkWallet: defineOperation({
    summary: 'Unlink a wallet from your account',
    input: { path: z.object({ wallet_id: walletLinkId }) },
    output: { data: z.object({ id: walletLinkId }) },
    errors: ['user_not_found', 'wallet_link_not_found'],
    power: 'revoke',
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/auth/wallets/{wallet_id}' },
    examples: [{ title: 'Unlinked', input: { wallet_id: exampleWallet.id }, data: { id: exampleWallet.id } }],
  }),

  undoLink: defineOperation({
    summary: 'Undo the link of your wallet',
    description: 'For the wallet itself, at any time: the account that it is linked to no longer sees it or acts for it.',
    input: { path: z.object({ address: walletAddress.describe('The wallet') }) },
    output: { data: z.object({ wallet: z.string(), undone: z.boolean().describe('False when no account was linked') }) },
    errors: ['wallet_mismatch'],
    power: 'revoke',
    access: { accepts: ['wallet'], rule: 'The wallet itself.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/auth/links/{address}' },
    examples: [{ title: 'Undone', input: { address: exampleWallet.address }, data: { wallet: exampleWallet.address, undone: true } }],
  }),
};
