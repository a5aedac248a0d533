// A small OpenID provider for development, as a function from request to response that a server mounts where it likes.

import { createAuthorizationCodes } from './authorization-codes.ts';
import { SUPPORTED_SCOPES } from './authorization-request.ts';
import { acceptSignIn, type Grant, showSignIn } from './authorize-endpoint.ts';
import { answerJson, answerOAuthError, answerPreflight, type ProviderRequest, type ProviderResponse } from './exchange.ts';
import { createKnownPeople } from './known-people.ts';
import { OAuthError } from './oauth-error.ts';
import type { Typeface } from './page-style.ts';
import { deriveUserId, type PersonInput, readPerson } from './person.ts';
import { openSigningKeys } from './signing-keys.ts';
import { exchangeCode } from './token-endpoint.ts';
import { createTokenSigner, TOKEN_LIFETIME_SECONDS } from './tokens.ts';

export interface DevelopmentIdentityProviderOptions {
  /** The public address of the mount, without a slash at the end, for example `http://127.0.0.1:4020/sandbox/idp`. */
  readonly issuer: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
  readonly keyFile: string;
  /** Origins a sign-in may return to, for example `http://127.0.0.1:4020`. */
  readonly allowedRedirectOrigins: readonly string[];
  readonly now: () => Date;
  readonly serviceName: string;
  /** Font files of the same origin, for the sign-in page. */
  readonly typeface?: Typeface | undefined;
}

export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly user_id: string;
}

export interface DevelopmentIdentityProvider {
  readonly issuer: string;
  readonly jwksUri: string;
  handle(request: ProviderRequest): Promise<ProviderResponse>;
  /** Signs a person in without the page. Throws InvalidPersonError when a field cannot be. */
  issueToken(person: PersonInput): Promise<IssuedToken>;
  /** Adds a key that signs from now on; tokens of the earlier ones stay valid. */
  rotate(): Promise<void>;
}

type Endpoint = (request: ProviderRequest) => ProviderResponse | Promise<ProviderResponse>;

const PUBLIC_FOR_A_MINUTE = 'public, max-age=60';
const READABLE_ACROSS_ORIGINS = new Set(['/.well-known/openid-configuration', '/jwks', '/token']);

export async function createDevelopmentIdentityProvider(options: DevelopmentIdentityProviderOptions): Promise<DevelopmentIdentityProvider> {
  const { issuer, audience, now, serviceName, typeface } = options;
  requireIssuer(issuer);
  const allowedRedirectOrigins = new Set(options.allowedRedirectOrigins.map(requireOrigin));
  const keys = await openSigningKeys(options.keyFile);
  const signer = createTokenSigner({ keys, issuer, audience, now });
  const people = createKnownPeople();
  const codes = createAuthorizationCodes<Grant>(now);
  const authorize = {
    ...{ issuer, serviceName, typeface, allowedRedirectOrigins, codes, now },
    formSecret: keys.sharedSecret,
    rememberPerson: people.remember,
  };

  const endpoints: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
    '/.well-known/openid-configuration': { GET: () => answerJson(describeProvider(issuer), PUBLIC_FOR_A_MINUTE) },
    '/jwks': { GET: async () => answerJson({ keys: await keys.listPublic() }, PUBLIC_FOR_A_MINUTE) },
    '/authorize': { GET: (request) => showSignIn(authorize, request), POST: (request) => acceptSignIn(authorize, request) },
    '/token': { POST: (request) => exchangeCode({ codes, signer }, request) },
  };

  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    handle: (request) => route(endpoints, request),
    rotate: keys.rotate,
    async issueToken(input) {
      const person = people.remember(readPerson(input));
      return {
        access_token: await signer.signAccessToken({ person, admin: input.admin === true }),
        token_type: 'Bearer',
        expires_in: TOKEN_LIFETIME_SECONDS,
        user_id: deriveUserId(person.email),
      };
    },
  };
}

async function route(
  endpoints: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>,
  request: ProviderRequest,
): Promise<ProviderResponse> {
  const methods = Object.hasOwn(endpoints, request.path) ? endpoints[request.path] : undefined;
  if (methods === undefined) return answerOAuthError(new OAuthError('not_found', 'The identity provider has no such page.', 404));
  const allow = Object.keys(methods).join(', ');
  if (request.method === 'OPTIONS' && READABLE_ACROSS_ORIGINS.has(request.path)) return answerPreflight(allow);
  const endpoint = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (endpoint === undefined) {
    const refusal = answerOAuthError(new OAuthError('method_not_allowed', `Use ${allow} here.`, 405));
    return { ...refusal, headers: { ...refusal.headers, allow } };
  }
  try {
    return await endpoint(request);
  } catch (error) {
    if (error instanceof OAuthError) return answerOAuthError(error);
    throw error;
  }
}

function describeProvider(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    scopes_supported: SUPPORTED_SCOPES,
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    claims_supported: ['sub', 'email', 'email_verified', 'google_email', 'name', 'twitter_username', 'wallets', 'market_admin'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  };
}

function requireIssuer(issuer: string): void {
  const url = URL.parse(issuer);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && !issuer.endsWith('/');
  if (!isPlain) throw new Error(`The issuer ${issuer} must be an http or https address without query, fragment or a slash at the end.`);
}

function requireOrigin(origin: string): string {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) throw new Error(`${origin} is not an origin. Use the form http://host:port, without a path.`);
  return origin;
}
