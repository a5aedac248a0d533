/**
 * Sends the same GET over a few kept-alive connections for a while and reports speeds. Speaks HTTP over bare sockets: a complete client
 * costs more than the servers measured here, and would measure itself.
 */
import { connect, type Socket } from 'node:net';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly milliseconds: number;
  /** The status that every answer must have; 200 by default. */
  readonly status?: number;
}

export async function load(address: string, { connections, milliseconds, status = 200 }: LoadOptions): Promise<LoadResult> {
  const url = new URL(address);
  const request = Buffer.from(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`);
  const times: number[] = [];
  const started = performance.now();
  const end = started + milliseconds;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const lane = await openLane(url);
      // Send at least one request, however short the time.
      do {
        const sent = performance.now();
        const answered = await lane.ask(request);
        if (answered !== status) throw new Error(`${address} answered ${answered}`);
        times.push(performance.now() - sent);
      } while (performance.now() < end);
      lane.socket.destroy();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

interface Lane {
  readonly socket: Socket;
  /** Resolves with the status once the answer has arrived to its last byte. */
  ask(request: Buffer): Promise<number>;
}

async function openLane({ hostname, port }: URL): Promise<Lane> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let status = 0;
  let missing = 0;
  let settle: (status: number) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length;
    else [status, missing] = beginAnswer(chunk);
    if (missing === 0) settle(status);
  });
  socket.on('error', (error) => fail(error));
  socket.on('close', () => fail(new Error('the connection was closed')));
  await new Promise<void>((resolve, reject) => {
    fail = reject;
    socket.once('connect', resolve);
  });
  return {
    socket,
    ask: (request) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        socket.write(request);
      }),
  };
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** Servers spell this header differently. */
const LENGTH_NAMES = ['\r\nContent-Length: ', '\r\ncontent-length: '].map((name) => Buffer.from(name));

/** Returns the status and the number of bytes still to come. Reads bytes, not text: decoding a long head would distort the measurement. */
function beginAnswer(chunk: Buffer): [number, number] {
  const headEnd = chunk.indexOf(HEAD_END);
  if (headEnd < 0) throw new Error('the head of an answer did not come in one piece');
  for (const name of LENGTH_NAMES) {
    const at = chunk.indexOf(name);
    if (at < 0 || at > headEnd) continue;
    const length = Number.parseInt(chunk.toString('latin1', at + name.length, at + name.length + 12), 10);
    return [Number(chunk.toString('latin1', 9, 12)), headEnd + 4 + length - chunk.length];
  }
  throw new Error('an answer without Content-Length cannot be measured here');
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
