import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/** Plain HTTP without the SDK, so that the wire format itself is tested. */
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
  /** Sent unchanged instead of JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

export async function call(url: string, route: `${string} /${string}`, options: CallOptions = {}): Promise<Reply> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers['authorization'] = `Bearer ${options.key}`;
  const content = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  if (content !== undefined) headers['content-type'] ??= 'application/json';
  const response = await send(url + path, method, headers, content);
  return { ...response, body: parse(response.text) };
}

const agent = new Agent({ keepAlive: true });

/** Instead of `fetch`, which costs twice the processor time: a run makes hundreds of thousands of calls. */
async function send(url: string, method: string, given: Record<string, string>, content: string | Uint8Array | undefined) {
  const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) };
  const sent = request(url, { method, agent, headers: { accept: '*/*', 'user-agent': 'node', ...length, ...given } });
  // An answer before the whole request was sent counts, even if sending the rest fails.
  sent.on('error', () => {});
  try {
    sent.end(content);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(response.headersDistinct)) for (const value of values) headers.append(name, value);
    return { status: response.statusCode ?? 0, headers, text: await readText(response) };
  } catch (error) {
    throw new TypeError('fetch failed', { cause: error });
  }
}

function parse(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return { text };
  }
}

/** Calls, requires the status, and returns `data` of a success or the whole body of a refusal. */
export async function expectCall(url: string, status: number, route: `${string} /${string}`, options: CallOptions = {}): Promise<Envelope> {
  const reply = await call(url, route, options);
  assert.equal(reply.status, status, `${route}: ${JSON.stringify(reply.body)}`);
  return status < 300 ? reply.body['data'] : reply.body;
}

/** `?a=1&b=2` */
export function asQuery(fields: object): string {
  return `?${new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The cookie that an answer set, in the form in which a browser returns it. */
export function cookieOf(reply: Reply): string {
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
