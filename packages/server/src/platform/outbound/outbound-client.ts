/**
 * The only client for user-supplied URLs: webhooks, workspaces, remote checks. Every new connection goes to an address that was just
 * checked for that host. It follows no redirects, decompresses nothing, and limits time and size. A call may reuse an idle
 * connection (see `idle-connections.ts`).
 */
import { type CallOptions, Connection } from './connection.ts';
import { dial } from './dial.ts';
import type { WireAnswer, WireRequest } from './exchange.ts';
import { IdleConnections } from './idle-connections.ts';
import { OutboundFault, type OutboundFaultKind } from './outbound-fault.ts';
import type { PublicUrlOptions } from './public-url.ts';
import { createRecentChecks, type Destination } from './recent-checks.ts';

const CONNECT_MS = 5_000;
const BODY_MS = 10_000;
/** Limits sockets and memory when many servers are slow. */
const MOST_CALLS = 1_000;

export interface OutboundPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the DNS lookup to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** A longer body is an error (`fail`, the default) or is cut (`cut`). */
  readonly overflow?: 'fail' | 'cut';
  /**
   * May reuse a connection of an earlier call. If that connection turns out closed, the call is repeated on a new one. So use this only for
   * requests that the server recognises as repeats.
   */
  readonly keepAlive?: boolean;
  readonly signal?: AbortSignal;
}

export type OutboundGet = Omit<OutboundPost, 'body'>;

interface OutboundRequest extends OutboundPost {
  readonly method?: 'GET' | 'POST';
}

export interface OutboundAnswer extends WireAnswer {
  readonly ok: true;
  readonly durationMs: number;
}

export interface OutboundFailure {
  readonly ok: false;
  readonly kind: OutboundFaultKind;
  readonly message: string;
  /** Status, if the headers arrived. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

export interface OutboundClient {
  /** Returns any HTTP answer, redirects included. */
  post(url: string, post: OutboundPost): Promise<OutboundAnswer | OutboundFailure>;
  /** As `post`, without a body. */
  get(url: string, get: OutboundGet): Promise<OutboundAnswer | OutboundFailure>;
  /** Ends all calls and closes all connections. */
  close(): void;
}

export interface OutboundOptions extends PublicUrlOptions {
  readonly connectTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
}

/** A running call, and what must be released when it ends. */
interface Ongoing {
  connection: Connection | undefined;
  dialling: AbortController | undefined;
  fault: OutboundFault | undefined;
  /** Rejects the promise that the call waits for. */
  giveUp: ((fault: OutboundFault) => void) | undefined;
}

export function createOutboundClient({
  connectTimeoutMs = CONNECT_MS,
  bodyTimeoutMs = BODY_MS,
  ...options
}: OutboundOptions): OutboundClient {
  const underWay = new Set<Ongoing>();
  const idle = new IdleConnections();
  const checks = createRecentChecks(options);

  async function send(url: string, post: OutboundRequest): Promise<OutboundAnswer | OutboundFailure> {
    const startedAt = performance.now();
    const call: Ongoing = { connection: undefined, dialling: undefined, fault: undefined, giveUp: undefined };
    const hangUp = (): void => end(call, new OutboundFault('aborted', 'The call was cut short.'));
    const deadline = setTimeout(() => end(call, tooLate('answer', post.timeoutMs)), post.timeoutMs);
    try {
      if (underWay.size >= MOST_CALLS) throw new OutboundFault('busy', 'Too many calls are under way. Try again shortly.');
      underWay.add(call);
      if (post.signal?.aborted === true) hangUp();
      post.signal?.addEventListener('abort', hangUp);
      const { status, headers, body } = await exchange(call, url, post);
      return { ok: true, status, headers, body, durationMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      const fault = call.fault ?? error;
      if (!(fault instanceof OutboundFault)) throw fault;
      const { kind, message, status } = fault;
      return { ok: false, kind, message, status, durationMs: Math.round(performance.now() - startedAt) };
    } finally {
      clearTimeout(deadline);
      post.signal?.removeEventListener('abort', hangUp);
      underWay.delete(call);
      call.dialling?.abort();
      call.connection?.destroy();
    }
  }

  async function exchange(call: Ongoing, url: string, post: OutboundRequest): Promise<WireAnswer> {
    if (post.keepAlive === true) {
      const destination = checks.recall(url) ?? (await endable(call, checks.ask(url)));
      const kept = idle.take(destination.hostKey);
      try {
        if (kept !== undefined) return await callOn(call, kept, destination, post);
      } catch (error) {
        // The server closed the connection while the request was being sent: repeat on a new one.
        if (call.fault !== undefined || kept?.isSilent !== true) throw error;
      }
    }
    const destination = await endable(call, checks.ask(url));
    const dialling = new AbortController();
    call.dialling = dialling;
    const dialled = endable(call, dial(destination.url, destination.addresses, dialling.signal));
    const socket = await within(call, connectTimeoutMs, 'connection', dialled);
    call.dialling = undefined;
    return await callOn(call, new Connection(socket), destination, post);
  }

  async function callOn(call: Ongoing, connection: Connection, { url, hostKey }: Destination, post: OutboundRequest): Promise<WireAnswer> {
    call.connection = connection;
    let slowBody: NodeJS.Timeout | undefined;
    const onHead = (): void => {
      slowBody = setTimeout(() => end(call, tooLate('end of the answer', bodyTimeoutMs)), bodyTimeoutMs);
    };
    const options: CallOptions = {
      maxBodyBytes: post.maxResponseBytes,
      overflow: post.overflow ?? 'fail',
      keepAlive: post.keepAlive === true,
      onHead: post.timeoutMs > bodyTimeoutMs ? onHead : undefined,
    };
    try {
      call.giveUp = (fault) => connection.abort(fault);
      const answer = await connection.call(composeRequest(url, post), options);
      if (options.keepAlive) {
        idle.keep(hostKey, connection);
        call.connection = undefined;
      }
      return answer;
    } finally {
      clearTimeout(slowBody);
    }
  }

  return {
    post: (url, post) => send(url, post),
    get: (url, get) => send(url, { ...get, body: '', method: 'GET' }),
    close() {
      for (const call of underWay) end(call, new OutboundFault('aborted', 'The service is shutting down.'));
      idle.close();
    },
  };
}

/** Fails as soon as the call ends, whatever it waits for. */
async function endable<T>(call: Ongoing, work: Promise<T>): Promise<T> {
  if (call.fault !== undefined) throw call.fault;
  return await new Promise((resolve, reject) => {
    call.giveUp = reject;
    work.then(resolve, reject);
  });
}

function end(call: Ongoing, fault: OutboundFault): void {
  if (call.fault !== undefined) return;
  const status = call.connection?.status;
  call.fault = status === undefined ? fault : new OutboundFault(fault.kind, fault.message, status);
  call.giveUp?.(call.fault);
}

/** Limits one stage of the call: a host that is slow to connect must not use up the time of the answer. */
async function within<T>(call: Ongoing, ms: number, awaited: string, stage: Promise<T>): Promise<T> {
  const timer = setTimeout(() => end(call, tooLate(awaited, ms)), ms);
  try {
    return await stage;
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(awaited: string, ms: number): OutboundFault {
  return new OutboundFault('timeout', `No ${awaited} within ${ms} ms.`);
}

function composeRequest(url: URL, { method = 'POST', headers, body, keepAlive }: OutboundRequest): WireRequest {
  const fields = ['Host', url.host];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  // One test of all headers together is cheaper than one test each.
  if (/[^\t\x20-\x7e]/.test(fields.join('')))
    throw new Error(`one of these headers of an outbound call is not plain text: ${Object.keys(headers).join(', ')}`);
  if (method === 'POST') fields.push('Content-Length', String(Buffer.byteLength(body)));
  fields.push('Accept-Encoding', 'identity', 'Connection', keepAlive === true ? 'keep-alive' : 'close');
  return { method, path: `${url.pathname}${url.search}`, headers: fields, body };
}
