import assert from 'node:assert/strict';

/** Plain HTTP as a stranger would speak it: no SDK, so that the wire itself is what is tested. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
export type Envelope = Record<string, any>;

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Sent as it is instead of JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

export async function call(url: string, route: `${string} /${string}`, options: CallOptions = {}): Promise<Reply> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers['authorization'] = `Bearer ${options.key}`;
  const content = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  if (content !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(url + path, { method, headers, redirect: 'manual', ...(content !== undefined && { body: content }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return { text };
  }
}

/** Calls, insists on the status, and returns `data` of a success or the whole body of a refusal. */
export async function expectCall(url: string, status: number, route: `${string} /${string}`, options: CallOptions = {}): Promise<Envelope> {
  const reply = await call(url, route, options);
  assert.equal(reply.status, status, `${route}: ${JSON.stringify(reply.body)}`);
  return status < 300 ? reply.body['data'] : reply.body;
}

/** `?a=1&b=2` */
export function asQuery(fields: object): string {
  return `?${new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The cookie an answer set, as a browser would send it back. */
export function cookieOf(reply: Reply): string {
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
