/**
 * The only way out to a server whose address a stranger gave us: webhooks, workspaces, remote checks. Every call resolves and checks
 * the name anew, connects to what was checked, follows nothing, unpacks nothing, and has an end. One call, one connection: none is
 * kept, so none can be reused for another name or leak.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { dial } from './dial.ts';
import { OutboundFault, type OutboundFaultKind } from './outbound-fault.ts';
import { checkPublicUrl, type PublicUrlOptions } from './public-url.ts';

const CONNECT_MS = 5_000;
const BODY_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Keeps sockets and memory bounded whatever the number of slow strangers. */
const MOST_CALLS = 500;

export interface OutboundPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the first question to DNS to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly ok: true;
  /** Redirects come back as what they are. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly durationMs: number;
}

export interface OutboundFailure {
  readonly ok: false;
  readonly kind: OutboundFaultKind;
  readonly message: string;
  /** Where the headers had come already. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

export interface OutboundClient {
  post(url: string, post: OutboundPost): Promise<OutboundAnswer | OutboundFailure>;
  /** Hangs up on everybody. */
  close(): void;
}

export interface OutboundOptions extends PublicUrlOptions {
  readonly connectTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
}

export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const underWay = new Set<AbortController>();

  return {
    async post(url, post) {
      const startedAt = performance.now();
      const duration = (): number => Math.round(performance.now() - startedAt);
      const call = new AbortController();
      const deadline = setTimeout(() => call.abort(tooLate('answer', post.timeoutMs)), post.timeoutMs);
      try {
        if (underWay.size >= MOST_CALLS) throw new OutboundFault('busy', 'Too many calls are under way. Try again shortly.');
        underWay.add(call);
        passOn(post.signal, call);
        const answer = await Promise.race([exchange(url, post, options, call), untilAborted(call.signal)]);
        return { ok: true, ...answer, durationMs: duration() };
      } catch (error) {
        if (!(error instanceof OutboundFault)) throw error;
        return { ok: false, kind: error.kind, message: error.message, status: error.status, durationMs: duration() };
      } finally {
        clearTimeout(deadline);
        underWay.delete(call);
        // Ends the connection, whatever state it is in.
        call.abort();
      }
    },

    close() {
      for (const call of underWay) call.abort(new OutboundFault('aborted', 'The service is shutting down.'));
    },
  };
}

async function exchange(
  url: string,
  post: OutboundPost,
  { connectTimeoutMs = CONNECT_MS, bodyTimeoutMs = BODY_MS, ...options }: OutboundOptions,
  call: AbortController,
): Promise<Pick<OutboundAnswer, 'status' | 'headers' | 'body'>> {
  const check = await checkPublicUrl(url, options);
  if (!check.ok) throw new OutboundFault(check.reason === 'unresolved' ? 'dns' : 'refused', check.message);
  call.signal.throwIfAborted();
  const target = new URL(url);
  const socket = await within(call, connectTimeoutMs, 'connection', dial(target, check.addresses, call.signal));
  const response = await send(socket, target, post);
  const body = await within(call, bodyTimeoutMs, 'end of the answer', readBody(response, post.maxResponseBytes));
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function send(socket: Socket, url: URL, { headers, body }: OutboundPost): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        Host: url.host,
        'Content-Length': Buffer.byteLength(body),
        'Accept-Encoding': 'identity',
        Connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.on('response', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'HPE_HEADER_OVERFLOW') reject(new OutboundFault('too_large', 'The headers of the answer are too large.'));
      else reject(new OutboundFault('protocol', `No HTTP answer came back${error.code === undefined ? '' : ` (${error.code})`}.`));
    });
    request.end(body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { statusCode: status } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new OutboundFault('too_large', `The answer is larger than ${maxBytes} bytes.`, status);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof OutboundFault ? error : new OutboundFault('protocol', 'The connection broke before the answer ended.', status);
  }
  return Buffer.concat(chunks);
}

/** A stage of its own within the whole: a host that is slow to connect shall not use up the time it has to answer. */
async function within<T>(call: AbortController, ms: number, awaited: string, stage: Promise<T>): Promise<T> {
  const timer = setTimeout(() => call.abort(tooLate(awaited, ms)), ms);
  try {
    return await stage;
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(awaited: string, ms: number): OutboundFault {
  return new OutboundFault('timeout', `No ${awaited} within ${ms} ms.`);
}

function passOn(signal: AbortSignal | undefined, call: AbortController): void {
  const hangUp = (): void => call.abort(new OutboundFault('aborted', 'The call was cut short.'));
  if (signal?.aborted === true) hangUp();
  else signal?.addEventListener('abort', hangUp, { once: true, signal: call.signal });
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
