/** One answer as finished bytes: plain, compressed for clients that accept it, and as 304 for clients that have it. */
import { createHash } from 'node:crypto';
import { compress, type Encoding } from './compress.ts';
import { bodyBytes, type CachedResponse, composeCachedResponse } from './write-cached-response.ts';

export interface FinishedAnswer {
  /** Bytes in memory. */
  readonly size: number;
  /** Whether a newly made answer is identical. Then the compressed forms stay valid, too. */
  isStill(made: Pick<FinishedOptions, 'status' | 'headers' | 'body'>): boolean;
  /** The answer for a client that accepts this encoding and has these versions (`If-None-Match`). */
  toward(encoding: Encoding | undefined, ifNoneMatch: string | undefined): CachedResponse | Promise<CachedResponse>;
}

export interface FinishedOptions {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Called with the size of each added compressed form. */
  readonly onGrowth: (bytes: number) => void;
}

/** Shorter answers hardly shrink by compression. */
const LEAST_COMPRESSED = 1_024;
/** Memory of strings and objects around the bytes. */
const OVERHEAD = 1_500;

/** An answer that stays the same until its data change. */
export function finishAnswer({ status, headers, body, onGrowth }: FinishedOptions): FinishedAnswer {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  const common = { ...headers, vary: withVary(headers['vary']) };
  const tagFor = (encoding: Encoding | undefined) => `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
  const plain = composeCachedResponse(status, { ...common, etag: tagFor(undefined) }, body);
  const forms = new Map<Encoding, CachedResponse | Promise<CachedResponse>>();
  let size = body.length + OVERHEAD;

  async function addForm(encoding: Encoding): Promise<CachedResponse> {
    const bytes = await compress(body, encoding);
    const form = composeCachedResponse(status, { ...common, 'content-encoding': encoding, etag: tagFor(encoding) }, bytes);
    forms.set(encoding, form);
    size += bytes.length + OVERHEAD;
    onGrowth(bytes.length + OVERHEAD);
    return form;
  }

  return {
    get size() {
      return size;
    },
    isStill: (made) => made.status === status && isSame(made.headers, headers) && bodyBytes(plain).equals(made.body),
    toward(accepted, ifNoneMatch) {
      const encoding = body.length < LEAST_COMPRESSED ? undefined : accepted;
      if (ifNoneMatch !== undefined && names(ifNoneMatch, tagFor(encoding))) return notModified(common, tagFor(encoding));
      if (encoding === undefined) return plain;
      const form = forms.get(encoding) ?? addForm(encoding);
      if (!forms.has(encoding)) forms.set(encoding, form);
      return form;
    },
  };
}

/** A 402: clients never store it, so it has no tag, and it is too small to compress. */
export function finishChallenge({ status, headers, body }: FinishedOptions): FinishedAnswer {
  const only = composeCachedResponse(status, headers, body);
  return { size: body.length + OVERHEAD, isStill: () => false, toward: () => only };
}

function notModified(headers: Readonly<Record<string, string>>, etag: string): CachedResponse {
  const { 'content-type': _type, ...kept } = headers;
  return composeCachedResponse(304, { ...kept, etag }, Buffer.alloc(0));
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
function names(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag);
}

function withVary(vary: string | undefined): string {
  const named = (vary ?? '').split(',').map((name) => name.trim());
  return [...new Set([...named.filter((name) => name !== ''), 'Origin', 'Accept-Encoding'])].join(', ');
}
