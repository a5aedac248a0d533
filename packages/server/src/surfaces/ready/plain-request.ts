/** Finds requests whose answer depends only on the URL, theme and origin, and computes their cache key. */
import type { IncomingMessage } from 'node:http';
import { readTheme } from '../pages/theme.ts';
import { mayProveSomebody, readCookies } from '../rest/read-credentials.ts';

/** Headers that cannot change the answer, or that are part of the key. A request with any other header goes to the router. */
const neutralHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'cookie',
  'dnt',
  'forwarded',
  'host',
  'if-modified-since',
  'if-none-match',
  'origin',
  'pragma',
  'priority',
  'referer',
  'save-data',
  'te',
  'traceparent',
  'tracestate',
  'upgrade-insecure-requests',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

const MAX_URL_LENGTH = 500;

export interface KeyOptions {
  readonly trustedOrigins: ReadonlySet<string>;
  readonly isHttps: boolean;
  /** Returns the same URL for requests with the same answer. */
  readonly addressOf: (url: string) => string;
}

/** Undefined for a request that may carry credentials, or whose answer may depend on more than the key. */
export function keyOf(
  { method, url: asked = '', headers }: IncomingMessage,
  { trustedOrigins, isHttps, addressOf }: KeyOptions,
): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || headers.host === undefined) return undefined;
  const url = addressOf(asked);
  if (url.length > MAX_URL_LENGTH) return undefined;
  for (const name in headers) {
    if (!neutralHeaders.has(name) && !name.startsWith('sec-')) return undefined;
  }
  const { accept, cookie, origin } = headers;
  // Some operations can also answer in CSV.
  if (accept?.includes('text/csv') === true) return undefined;
  if (cookie === undefined && origin === undefined) return url;
  const cookies = readCookies(cookie);
  if (mayProveSomebody(cookies, isHttps)) return undefined;
  const asker = origin === undefined ? '' : trustedOrigins.has(origin) ? origin : '*';
  return `${url}\n${readTheme(cookies.get('theme')) ?? ''}\n${asker}`;
}
