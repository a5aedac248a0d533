// Reads what an app asks of the authorization endpoint. Until client and redirect are proven good nothing may be sent to the
// redirect address, so those failures become a page and only later ones travel back to the app.

import { OAuthError } from './oauth-error.ts';
import { findParameter, getParameter } from './parameters.ts';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly codeChallenge: string;
  readonly state?: string;
  readonly nonce?: string;
}

export type AuthorizationReading =
  | { readonly outcome: 'accepted'; readonly request: AuthorizationRequest }
  | { readonly outcome: 'refused on a page'; readonly reason: string }
  | { readonly outcome: 'refused to the app'; readonly location: string };

export const SUPPORTED_SCOPES = ['openid', 'profile', 'email'];
const MAX_REDIRECT_LENGTH = 2_000;
const MAX_STATE_LENGTH = 2_000;
const MAX_SHORT_LENGTH = 300;
const PRINTABLE = /^[\x20-\x7e]+$/;
const SHA256_BASE64URL = /^[A-Za-z0-9_-]{43}$/;

export function readAuthorizationRequest(
  parameters: URLSearchParams,
  issuer: string,
  allowedOrigins: ReadonlySet<string>,
): AuthorizationReading {
  let target: { clientId: string; redirectUri: string };
  try {
    target = { clientId: readClientId(parameters), redirectUri: readRedirectUri(parameters, allowedOrigins) };
  } catch (error) {
    if (error instanceof OAuthError) return { outcome: 'refused on a page', reason: error.message };
    throw error;
  }
  let state: string | undefined;
  try {
    state = findParameter(parameters, 'state', MAX_STATE_LENGTH);
    return { outcome: 'accepted', request: { ...target, ...readRest(parameters), ...(state === undefined ? {} : { state }) } };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const location = buildReturn(target.redirectUri, { error: error.code, error_description: error.message, state, iss: issuer });
    return { outcome: 'refused to the app', location };
  }
}

/** The request as parameters again, to carry it through the sign-in form. */
export function listAuthorizationParameters(request: AuthorizationRequest): [name: string, value: string][] {
  const parameters: [string, string | undefined][] = [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ['scope', request.scope],
    ['code_challenge', request.codeChallenge],
    ['code_challenge_method', 'S256'],
    ['state', request.state],
    ['nonce', request.nonce],
  ];
  return parameters.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

export function buildReturn(redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const location = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) location.searchParams.append(name, value);
  }
  return location.href;
}

function readClientId(parameters: URLSearchParams): string {
  const clientId = getParameter(parameters, 'client_id', MAX_SHORT_LENGTH);
  if (!PRINTABLE.test(clientId)) throw new OAuthError('invalid_request', 'client_id may hold only printable ASCII characters.');
  return clientId;
}

function readRedirectUri(parameters: URLSearchParams, allowedOrigins: ReadonlySet<string>): string {
  const redirectUri = getParameter(parameters, 'redirect_uri', MAX_REDIRECT_LENGTH);
  const url = URL.parse(redirectUri);
  if (url === null || !/^https?:\/\//.test(redirectUri)) {
    throw new OAuthError('invalid_request', 'redirect_uri must be a full http or https address.');
  }
  if (url.username !== '' || url.password !== '' || redirectUri.includes('#')) {
    throw new OAuthError('invalid_request', 'redirect_uri may hold neither a user name nor a fragment.');
  }
  if (!allowedOrigins.has(url.origin)) {
    throw new OAuthError('invalid_request', 'redirect_uri is on a site that this sandbox does not send sign-ins to.');
  }
  return redirectUri;
}

function readRest(parameters: URLSearchParams): Pick<AuthorizationRequest, 'scope' | 'codeChallenge' | 'nonce'> {
  if (getParameter(parameters, 'response_type', MAX_SHORT_LENGTH) !== 'code') {
    throw new OAuthError('unsupported_response_type', 'Only response_type=code is supported.');
  }
  if ((findParameter(parameters, 'response_mode', MAX_SHORT_LENGTH) ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'Only response_mode=query is supported.');
  }
  if (parameters.has('request') || parameters.has('request_uri')) {
    throw new OAuthError('invalid_request', 'Send the parameters themselves: request and request_uri are not supported.');
  }
  const scope = readScope(parameters);
  const codeChallenge = readChallenge(parameters);
  const nonce = findParameter(parameters, 'nonce', MAX_SHORT_LENGTH);
  if (findParameter(parameters, 'prompt', MAX_SHORT_LENGTH)?.split(' ').includes('none')) {
    throw new OAuthError('login_required', 'The sandbox keeps no session, so it always shows its sign-in page.');
  }
  return { scope, codeChallenge, ...(nonce === undefined ? {} : { nonce }) };
}

function readScope(parameters: URLSearchParams): string {
  const asked = getParameter(parameters, 'scope', MAX_SHORT_LENGTH).split(' ');
  if (!asked.includes('openid')) throw new OAuthError('invalid_scope', 'scope must include openid.');
  return SUPPORTED_SCOPES.filter((scope) => asked.includes(scope)).join(' ');
}

function readChallenge(parameters: URLSearchParams): string {
  if (getParameter(parameters, 'code_challenge_method', MAX_SHORT_LENGTH) !== 'S256') {
    throw new OAuthError('invalid_request', 'Only code_challenge_method=S256 is supported.');
  }
  const challenge = getParameter(parameters, 'code_challenge', MAX_SHORT_LENGTH);
  if (!SHA256_BASE64URL.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be the base64url SHA-256 of the verifier, 43 characters.');
  }
  return challenge;
}
