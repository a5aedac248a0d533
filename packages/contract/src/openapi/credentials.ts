/** Texts about credentials and access, for the docs, the reference page and the OpenAPI document. */
import { type SignatureTier, signatureTierOf, walletProofsOf } from '../authority/permits.ts';
import type { Access, CredentialKind, OperationSpec } from '../define-operation.ts';
import { ORDER_TOKEN_END } from '../orders/durations.ts';

export interface CredentialGuide {
  readonly title: string;
  readonly who: string;
  readonly credential: string;
  readonly carriers: readonly string[];
}

export const credentialGuides: readonly CredentialGuide[] = [
  {
    title: 'Identity-provider token',
    who: 'People who sign in',
    credential: 'A JWT of the identity provider. Administrators are accounts on a list the operator keeps.',
    carriers: ['`Authorization: Bearer <token>`', 'cookie `idp-token`', 'body field `idp_access_token`'],
  },
  {
    title: 'Wallet signature',
    who: 'Holders of a Solana or Base wallet',
    credential:
      'A signature over the text of the tier the call asks for. `POST /api/auth/session` turns a signed action message into the cookie `__Host-market_session` (`market_session` on a sandbox without https).',
    carriers: [
      'headers `X-Market-Wallet`, `X-Market-Wallet-Sig`, `X-Market-Wallet-Sig-Ts`, `X-Market-Wallet-Chain`',
      'body or query fields `wallet`, `wallet_sig`, `wallet_sig_ts`, `wallet_chain`',
    ],
  },
  {
    title: 'Sign-in-with-x',
    who: 'x402 clients that paid with a wallet',
    credential:
      'The `sign-in-with-x` extension of x402: a signed sign-in message (EIP-4361 on EVM, its Solana twin), in place of an ordinary or single-use wallet signature. An answer of 401 carries the challenge to sign in the header `PAYMENT-REQUIRED`; it is good for 15 minutes and one request. Clients that act on 402 only add `auth=siwx` to the query and get the challenge as 402; its one entry in `accepts` names the network to sign for and costs nothing. `chain` in the query or `X-Payment-Network` chooses another than Base.',
    carriers: ['header `SIGN-IN-WITH-X`'],
  },
  {
    title: 'Agent API key',
    who: 'Agents',
    credential: '`market_` and 48 hex characters, shown once at registration.',
    carriers: ['`Authorization: Bearer market_<key>`'],
  },
  {
    title: 'MCP OAuth',
    who: 'People who connect an MCP client',
    credential: 'A grant given in the browser. Belongs to the MCP endpoint; the calls in this reference do not take it.',
    carriers: ['the OAuth flow of the MCP client'],
  },
  {
    title: 'Order token',
    who: 'Programs that hired by paying',
    credential: `Given with the order, for that one order. The buyer’s token (\`buyer_\` and 48 hex characters) acts as the buyer; the read token (\`order_\` and 48 hex characters) only reads. Both work ${ORDER_TOKEN_END}; after that, sign with the wallet that paid.`,
    carriers: [
      '`Authorization: Bearer buyer_<token>`',
      '`Authorization: Bearer order_<token>`',
      'query field `read_token` of a GET: read tokens only',
    ],
  },
  {
    title: 'x402 payment',
    who: 'Programs that pay per call',
    credential: 'Proof of an on-chain payment. Taken only by calls that answer 402 with a price.',
    carriers: ['header `X-PAYMENT`'],
  },
];

export interface SignatureTierGuide {
  readonly tier: SignatureTier;
  readonly title: string;
  readonly text: string;
  readonly rule: string;
}

export const signatureTierGuides: readonly SignatureTierGuide[] = [
  {
    tier: 'ordinary',
    title: 'Ordinary',
    text: 'market:<wallet>:<wallet_sig_ts>',
    rule: 'Accepted for 15 minutes, as often as you like. A session cookie stands in for it. To pay with a transfer: in body or header, at most 5 minutes old, for one transfer.',
  },
  {
    tier: 'single_use',
    title: 'Single use',
    text: 'market:<wallet>:<wallet_sig_ts>:<host>:<METHOD> <path>',
    rule: 'Names the site (host, and port where there is one) and the call, so that no other site can use it. At most 5 minutes old, accepted once. The ordinary text is accepted here, too, unless another call has shown it. A session cookie is not enough.',
  },
  {
    tier: 'action',
    title: 'Action message',
    text: 'the message that POST /api/auth/challenge gives',
    rule: 'A sign-in message (EIP-4361, or its Solana twin) with our host, a nonce, an expiry, and a statement that names the action and the account. Sent back as `signed_message` with `wallet` and `wallet_sig`. At most 5 minutes old, accepted once.',
  },
  {
    tier: 'custody',
    title: 'Custody',
    text: 'market:<host>:<wallet>:<wallet_sig_ts>:<METHOD> <path>:<sha256 hex of the canonical body>',
    rule: 'Names the site and the action itself. At most 5 minutes old, accepted once. A session cookie is not enough.',
  },
];

export const signatureNotes: readonly string[] = [
  '`<host>` is the host of this service, with its port where there is one. `<wallet>` is the address exactly as you send it; `<wallet_sig_ts>` is the time of signing in Unix milliseconds, at most 30 seconds ahead of our clock.',
  'Solana wallets sign the UTF-8 bytes with Ed25519 and send the signature in base58; the off-chain envelope of hardware wallets counts, too. Base wallets use EIP-191 `personal_sign` and send hex.',
  'Single-use and custody signatures travel in headers or in the body, not in the query string.',
  '`wallet_chain` is `solana` or `base`; left out, the shape of the address decides.',
  'The canonical body is the JSON body without `wallet`, `wallet_sig`, `wallet_sig_ts`, `wallet_chain` and `signed_message`, keys sorted at every level, no white space; `{}` when there is none. `<path>` is without the query string.',
];

const names: Record<Exclude<CredentialKind, 'anonymous' | 'wallet'>, string> = {
  idp: 'identity-provider token',
  api_key: 'agent API key',
  admin: "administrator's identity-provider token",
  admin_key: "administrators' key",
  order_token: 'order token',
};

const signatureNames = {
  ordinary: 'wallet signature (or session)',
  single_use: 'single-use wallet signature',
  action: 'signed action message of the wallet',
  custody: 'custody wallet signature',
} as const satisfies Record<SignatureTier, string>;

/** The parts of an operation that describe its access. */
export type Guarded = Pick<OperationSpec, 'access' | 'power' | 'proofs' | 'withoutProofs' | 'fieldPowers'>;

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

/** `Identity-provider token or wallet signature (or session).` plus the rule, as one or two sentences. */
export function describeAccess(spec: Guarded): string {
  const { access } = spec;
  const signature = nameOfSignature(spec);
  const kinds = access.accepts.filter((kind) => kind !== 'anonymous').map((kind) => (kind === 'wallet' ? signature : names[kind]));
  const list = access.together === 'wallet' ? `${alternatives.format(kinds)}, together with a ${signature}` : alternatives.format(kinds);
  return [describeOptional(access, list), access.rule].filter((sentence) => sentence !== undefined).join(' ');
}

/** The name of the signature that the operation needs. A session replaces ordinary and some custody signatures. */
function nameOfSignature(spec: Guarded): string {
  const tier = signatureTierOf(spec);
  return tier === 'custody' && walletProofsOf(spec).includes('session') ? `${signatureNames.custody} (or session)` : signatureNames[tier];
}

function describeOptional(access: Access, list: string): string {
  if (!access.accepts.includes('anonymous')) return `${list.charAt(0).toUpperCase()}${list.slice(1)}.`;
  return list === '' ? 'Anyone, without credentials.' : `Anyone; credentials are optional: ${list}.`;
}
