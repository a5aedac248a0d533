/** Self-registration of programs: which of their claims we keep, and where they may redirect people. */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import { parseJsonBody } from '../rest/json-body.ts';

const MOST_REDIRECTS = 10;
const LONGEST_URI = 1024;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

const claimed = z.object({
  client_name: z.string().max(200).optional(),
  client_uri: z.string().max(LONGEST_URI).optional(),
  redirect_uris: z.array(z.string().max(LONGEST_URI)).min(1).max(MOST_REDIRECTS),
  application_type: z.enum(['web', 'native']).optional(),
  grant_types: z.array(z.string().max(100)).max(20).optional(),
  response_types: z.array(z.string().max(100)).max(20).optional(),
});

export type Registered =
  | { readonly ok: true; readonly metadata: Record<string, unknown> }
  | { readonly ok: false; readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri'; readonly description: string };

/** Keeps the few fields that we use. Clients get no secrets: every program proves itself by PKCE. */
export function readRegistration(bytes: Buffer): Registered {
  try {
    return readClaims(parseJsonBody(bytes));
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return { ok: false, error: 'invalid_client_metadata', description: error.message };
  }
}

function readClaims(body: unknown): Registered {
  const parsed = claimed.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    return {
      ok: false,
      error: 'invalid_client_metadata',
      description: `${field === '' ? 'The body' : field}: ${issue?.message ?? 'invalid'}`,
    };
  }
  const { grant_types: grants, response_types: responses, redirect_uris: uris, client_uri: page, ...rest } = parsed.data;
  const problem = redirectProblem(uris);
  if (problem !== undefined) return { ok: false, error: 'invalid_redirect_uri', description: problem };
  if (grants !== undefined && !grants.includes('authorization_code')) {
    return { ok: false, error: 'invalid_client_metadata', description: 'grant_types must name authorization_code.' };
  }
  if (responses !== undefined && !responses.includes('code')) {
    return { ok: false, error: 'invalid_client_metadata', description: 'response_types must name code.' };
  }
  return {
    ok: true,
    metadata: {
      ...rest,
      ...(page !== undefined && isWebPage(page) && { client_uri: page }),
      redirect_uris: uris,
      grant_types: ['authorization_code', ...(grants === undefined || grants.includes('refresh_token') ? ['refresh_token'] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  };
}

/** Why people must not be redirected there; undefined if they may. */
export function redirectProblem(uris: readonly string[]): string | undefined {
  for (const uri of uris) {
    const url = URL.parse(uri);
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
    if (url === null || !isSafe) return 'A redirect_uri must be https, or http on this computer (127.0.0.1, [::1] or localhost).';
    if (url.username !== '' || url.password !== '') return 'A redirect_uri must not hold a user name or a password.';
    if (uri.includes('#')) return 'A redirect_uri must not have a fragment.';
    if (/[\s\\*]/.test(uri)) return 'A redirect_uri must be one exact address, without white space, backslash or wildcard.';
  }
  return undefined;
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.replace(/:\d+$/, ''));
}

export function isWebPage(address: string): boolean {
  return URL.parse(address)?.protocol === 'https:';
}
