/**
 * Sends requests of any kind over kept-alive connections and times each. Speaks HTTP over bare sockets: a complete client would cost more
 * than the servers that are measured.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { quantile } from '../load.ts';

export interface DriveOptions {
  readonly url: string;
  /** Number of concurrent callers, each with its own connection. */
  readonly callers: number;
  /** The next request; undefined ends the drive. */
  readonly next: (number: number) => Buffer | undefined;
  readonly milliseconds?: number;
  readonly status?: number;
  readonly onAnswer?: (number: number, body: Buffer) => void;
}

export interface Drive {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function drive({ url, callers, next, milliseconds = Infinity, status = 200, onAnswer }: DriveOptions): Promise<Drive> {
  const times: number[] = [];
  const startedAt = performance.now();
  let number = 0;
  const call = async (): Promise<void> => {
    const lane = await openLane(url);
    // Each caller sends at least one request: on a busy machine, connecting may use up the whole time.
    do {
      const mine = number++;
      const request = next(mine);
      if (request === undefined) break;
      const sentAt = performance.now();
      const answer = await lane.ask(request);
      times.push(performance.now() - sentAt);
      if (answer.status !== status) throw new Error(`answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`);
      onAnswer?.(mine, answer.body);
    } while (performance.now() - startedAt < milliseconds);
    lane.close();
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  return { count: times.length, perSecond: times.length / seconds, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

export interface RequestOptions {
  readonly key?: string;
  readonly body?: unknown;
}

/** The bytes of one request. */
export function requestOf(url: string, route: string, { key, body }: RequestOptions = {}): Buffer {
  const [method, path] = route.split(' ');
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    'Accept: application/json, text/html',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`);
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface Lane {
  ask(request: Buffer): Promise<Answer>;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

async function openLane(url: string): Promise<Lane> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received: Buffer[] = [];
  let settle: (answer: Answer) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  let missing: ((chunk: Buffer) => boolean) | undefined;
  let head = { status: 0, size: 0 };
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (missing === undefined) {
      const all = received.length === 1 ? chunk : Buffer.concat(received);
      const begun = beginAnswer(all);
      if (begun === undefined) return;
      received = [all];
      head = begun;
      missing = begun.missing;
    } else if (missing(chunk)) return;
    if (missing(Buffer.alloc(0))) return;
    const body = Buffer.concat(received).subarray(head.size);
    received = [];
    missing = undefined;
    settle({ status: head.status, body });
  });
  socket.on('error', (error) => fail(error));
  socket.on('close', () => fail(new Error('the connection was closed')));
  await once(socket, 'connect');
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        socket.write(request);
      }),
    close() {
      fail = () => undefined;
      socket.destroy();
    },
  };
}

interface BegunAnswer {
  readonly status: number;
  /** Length of the head in bytes. */
  readonly size: number;
  /** Counts a further chunk; returns true while more is to come. */
  readonly missing: (chunk: Buffer) => boolean;
}

function beginAnswer(bytes: Buffer): BegunAnswer | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const size = end + HEAD_END.length;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined || status === 304 || status === 204) {
    let left = size + Number(length ?? 0) - bytes.length;
    const missing = (chunk: Buffer): boolean => {
      left -= chunk.length;
      return left > 0;
    };
    return { status, size, missing };
  }
  let tail = bytes.subarray(-LAST_CHUNK.length);
  const missing = (chunk: Buffer): boolean => {
    if (chunk.length > 0) tail = Buffer.concat([tail, chunk]).subarray(-LAST_CHUNK.length);
    return !tail.equals(LAST_CHUNK);
  };
  return { status, size, missing };
}
