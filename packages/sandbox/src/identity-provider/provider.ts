// A small OpenID provider for development, as a request handler that a server mounts under any path. It loads oidc-provider with the
// first sign-in, and answers discovery and keys without it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { SUPPORTED_SCOPES } from './authorization-parameters.ts';
import { createKnownPeople } from './known-people.ts';
import { createLibrary } from './open-library.ts';
import type { Typeface } from './page-style.ts';
import { deriveUserId, type PersonInput, readPerson } from './person.ts';
import { openSigningKeys } from './signing-keys.ts';
import { PERSON_CLAIMS, signAccessToken, TOKEN_LIFETIME_SECONDS } from './tokens.ts';

export interface DevelopmentIdentityProviderOptions {
  /** The public address of the mount, without a slash at the end, for example `http://127.0.0.1:4020/sandbox/idp`. */
  readonly issuer: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
  readonly keyFile: string;
  /** Origins to which a sign-in may return, for example `http://127.0.0.1:4020`. */
  readonly allowedRedirectOrigins: readonly string[];
  readonly now: () => Date;
  readonly serviceName: string;
  /** Font files for the sign-in page, on the same origin. */
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
  /** Handles a request whose URL is the path below the mount, for example `/jwks`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Signs a person in without the page. Throws InvalidPersonError for an invalid field. */
  issueToken(person: PersonInput): Promise<IssuedToken>;
  /** Adds a key that signs from now on; tokens of earlier keys stay valid. */
  rotate(): Promise<void>;
}

const MAX_FORM_LENGTH = 16_384;
const DISCOVERY = '/.well-known/openid-configuration';
const METHODS: Readonly<Record<string, string>> = { [DISCOVERY]: 'GET', '/jwks': 'GET', '/authorize': 'GET, POST', '/token': 'POST' };
/** Discovery, keys and tokens do not depend on cookies, so any page may read them. */
const OPEN_TO_ALL_ORIGINS = { 'access-control-allow-origin': '*' };

export async function createDevelopmentIdentityProvider(options: DevelopmentIdentityProviderOptions): Promise<DevelopmentIdentityProvider> {
  const { issuer } = options;
  requireIssuer(issuer);
  options.allowedRedirectOrigins.forEach(requireOrigin);
  const keys = await openSigningKeys(options.keyFile);
  const people = createKnownPeople();
  const openLibrary = createLibrary({
    ...options,
    formSecret: keys.sharedSecret,
    rememberPerson: people.remember,
  });
  let opened: { readonly kid: string | undefined; readonly provider: Promise<Provider> } | undefined;

  async function library(): Promise<Provider> {
    const all = await keys.listPrivate();
    const kid = all[0]?.kid;
    if (opened === undefined || opened.kid !== kid) opened = { kid, provider: openLibrary(all) };
    return await opened.provider;
  }

  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    rotate: keys.rotate,

    async handle(request, response) {
      const path = URL.parse(request.url ?? '', issuer)?.pathname ?? '';
      if (isRefused(request, response, path)) return;
      if (path === DISCOVERY) return sendPublic(response, describeProvider(issuer));
      if (path === '/jwks') return sendPublic(response, { keys: await keys.listPublic() });
      await (await library()).callback()(request, response);
    },

    async issueToken(input) {
      const person = people.remember(readPerson(input));
      return {
        access_token: await signAccessToken(options, keys, { person, admin: input.admin === true }),
        token_type: 'Bearer',
        expires_in: TOKEN_LIFETIME_SECONDS,
        user_id: deriveUserId(person.email),
      };
    },
  };
}

/** Answers requests to unknown paths or methods, preflights, and too long forms; returns true if it answered. */
function isRefused({ method = 'GET', headers }: IncomingMessage, response: ServerResponse, path: string): boolean {
  const allow = Object.hasOwn(METHODS, path) ? METHODS[path] : undefined;
  if (allow === undefined) return sendError(response, 404, 'not_found', 'The identity provider has no such page.');
  if (method === 'OPTIONS' && path !== '/authorize') {
    const preflight = { 'access-control-allow-headers': 'authorization, content-type', 'access-control-max-age': '600' };
    return send(response, 204, { 'access-control-allow-methods': allow, ...preflight });
  }
  if (!allow.split(', ').includes(method)) {
    response.setHeader('allow', allow);
    return sendError(response, 405, 'method_not_allowed', `Use ${allow} here.`);
  }
  if (Number(headers['content-length'] ?? 0) <= MAX_FORM_LENGTH) return false;
  return sendError(response, 413, 'invalid_request', `The form is longer than ${MAX_FORM_LENGTH} characters.`);
}

function sendError(response: ServerResponse, status: number, error: string, description: string): true {
  return send(response, status, { 'cache-control': 'no-store' }, { error, error_description: description });
}

function sendPublic(response: ServerResponse, body: unknown): void {
  send(response, 200, { 'cache-control': 'public, max-age=60' }, body);
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body?: unknown): true {
  const ofJson = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries({ ...OPEN_TO_ALL_ORIGINS, ...(body !== undefined && ofJson), ...headers })));
  response.end(body === undefined ? '' : JSON.stringify(body));
  return true;
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
    claims_supported: PERSON_CLAIMS,
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

function requireOrigin(origin: string): void {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) throw new Error(`${origin} is not an origin. Use the form http://host:port, without a path.`);
}
