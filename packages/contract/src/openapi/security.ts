/** Credentials as OpenAPI security schemes and requirements. */
import { walletProofsOf } from '../authority/permits.ts';
import type { CredentialKind, OperationSpec } from '../define-operation.ts';
import { ORDER_TOKEN_END } from '../orders/durations.ts';
import type { Guarded } from './credentials.ts';
import { mayHaveBody } from './operation-errors.ts';

export const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'market_<key>', description: 'API key of an agent.' },
  adminKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'admin_<key>',
    description: 'Key of the operators’ programs, where the service has one.',
  },
  orderToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'order_<token> or buyer_<token>',
    description: `Token of one order, issued to the program that hired by paying: \`buyer_…\` acts as the buyer, \`order_…\` only reads. A GET also accepts a read token in the query as \`read_token\`. Tokens work ${ORDER_TOKEN_END}.`,
  },
  idpToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of the identity provider.' },
  idpCookie: { type: 'apiKey', in: 'cookie', name: 'idp-token', description: 'Access token of the identity provider as a cookie.' },
  walletSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-market_session',
    description: 'Session made by POST /api/auth/session. Its name is market_session on a sandbox without https.',
  },
  walletAddress: { type: 'apiKey', in: 'header', name: 'X-Market-Wallet', description: 'Address of the signing wallet.' },
  walletSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Market-Wallet-Sig',
    description: 'Signature over the text of the tier the call asks for: base58 for Solana, hex for Base.',
  },
  walletSignedAt: { type: 'apiKey', in: 'header', name: 'X-Market-Wallet-Sig-Ts', description: 'Time of signing, Unix milliseconds.' },
  signInWithX: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description:
      'Signed sign-in message of the x402 extension sign-in-with-x, or signed action message with its `requestId`, in base64. Good for one request.',
  },
  walletChain: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Market-Wallet-Chain',
    description: '`solana` or `base`. Optional: the shape of the address decides when it is left out.',
  },
  walletAddressInQuery: { type: 'apiKey', in: 'query', name: 'wallet', description: 'Address of the signing wallet, for reading only.' },
  walletSignatureInQuery: { type: 'apiKey', in: 'query', name: 'wallet_sig', description: 'Ordinary wallet signature, for reading only.' },
  walletSignedAtInQuery: { type: 'apiKey', in: 'query', name: 'wallet_sig_ts', description: 'Time of signing, Unix milliseconds.' },
  readTokenInQuery: { type: 'apiKey', in: 'query', name: 'read_token', description: 'Read token of one order, for reading only.' },
  credentialFields: {
    type: 'http',
    scheme: 'credential-fields',
    description:
      'Wallet signature, signed action message or access token of the identity provider as fields of the body: see the schema `CredentialFields`. OpenAPI has no credentials in bodies, so calls that accept them list the same alternative without this scheme, too.',
  },
} as const;

type SecurityRequirement = Partial<Record<keyof typeof securitySchemes, readonly string[]>>;

const signatureInQuery: SecurityRequirement = { walletAddressInQuery: [], walletSignatureInQuery: [], walletSignedAtInQuery: [] };
const signatureHeaders: SecurityRequirement = { walletAddress: [], walletSignature: [], walletSignedAt: [] };

/** The parts of an operation from which its security follows. */
type SecuredOperation = Guarded & Pick<OperationSpec, 'rest' | 'effects'>;

export function securityOf(spec: SecuredOperation): SecurityRequirement[] {
  const { accepts, together } = spec.access;
  const alone = accepts.flatMap((kind) => requirementsOf(kind, spec));
  const inBody = takesFields(spec) ? inBodyBeside({}) : [];
  if (together !== 'wallet') return [...alone, ...inBody];
  return [
    ...alone.flatMap((requirement) => [
      ...walletRequirements(spec).map((signature) => ({ ...requirement, ...signature })),
      ...inBodyBeside(requirement),
    ]),
    ...inBody,
  ];
}

function takesFields({ access, rest }: SecuredOperation): boolean {
  return mayHaveBody(rest.method) && access.accepts.some((kind) => ['wallet', 'idp', 'admin'].includes(kind));
}

/** Adds an alternative without the `credentialFields` scheme, because validators know no credentials in bodies. */
function inBodyBeside(requirement: SecurityRequirement): SecurityRequirement[] {
  return [{ ...requirement, credentialFields: [] }, requirement];
}

function requirementsOf(kind: CredentialKind, spec: SecuredOperation): SecurityRequirement[] {
  switch (kind) {
    case 'anonymous':
      return [{}];
    case 'api_key':
      return [{ apiKey: [] }];
    case 'admin_key':
      return [{ adminKey: [] }];
    case 'order_token':
      return [{ orderToken: [] }, ...(onlyReads(spec) ? [{ readTokenInQuery: [] }] : [])];
    case 'idp':
    case 'admin':
      return [{ idpToken: [] }, { idpCookie: [] }];
    case 'wallet':
      return walletRequirements(spec);
  }
}

function walletRequirements(spec: SecuredOperation): SecurityRequirement[] {
  const accepted = walletProofsOf(spec);
  // Action messages come in the body or in the header of sign-in messages, not in signature headers.
  const byHeaders = accepted.some((proof) => proof !== 'action' && proof !== 'session');
  return [
    ...(byHeaders ? [signatureHeaders] : []),
    ...(byHeaders && onlyReads(spec) ? [signatureInQuery] : []),
    ...(accepted.includes('sign_in') || accepted.includes('action') ? [{ signInWithX: [] }] : []),
    ...(accepted.includes('session') ? [{ walletSession: [] }] : []),
  ];
}

/** Whether credentials may stand in the URL: only for reads, because URLs end up in logs. */
function onlyReads({ effects, rest }: SecuredOperation): boolean {
  return effects.kind === 'read' && rest.method === 'GET';
}
