// Request and response types of the provider, independent of any HTTP framework.

import type { OAuthError } from './oauth-error.ts';

export interface ProviderRequest {
  readonly method: string;
  /** Below the mount, for example `/jwks`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case, as node:http gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface ProviderResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Discovery, keys and tokens hold nothing that depends on cookies, so any page may read them. */
const OPEN_TO_ALL_ORIGINS = { 'access-control-allow-origin': '*' };

export function answerJson(body: unknown, cacheControl: string, status = 200): ProviderResponse {
  return {
    status,
    headers: {
      ...OPEN_TO_ALL_ORIGINS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': cacheControl,
      'x-content-type-options': 'nosniff',
    },
    body: JSON.stringify(body),
  };
}

export function answerOAuthError(error: OAuthError): ProviderResponse {
  return answerJson({ error: error.code, error_description: error.message }, 'no-store', error.status);
}

export function answerPreflight(methods: string): ProviderResponse {
  return {
    status: 204,
    headers: {
      ...OPEN_TO_ALL_ORIGINS,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
    body: '',
  };
}

export function answerRedirect(location: string): ProviderResponse {
  return { status: 302, headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }, body: '' };
}
