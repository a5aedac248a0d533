/** A plain client of server-sent events, without the SDK, so that the wire format itself is tested. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { createInterface } from 'node:readline';

export interface SseEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly data: any;
  /** Time of arrival, by `performance.now()`. */
  readonly at: number;
}

export interface SseStream {
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly SseEvent[];
  /** The id to resume with, possibly newer than the last event's. */
  lastId(): string;
  comments(): number;
  /** Resolves when that many events have arrived. */
  has(count: number, patienceMs?: number): Promise<readonly SseEvent[]>;
  /** Resolves when the connection ends. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function openStream(url: string, headers: Record<string, string>, query = ''): Promise<SseStream> {
  const target = new URL(`/api/events/stream${query}`, url);
  const sent: ClientRequest = request(target, { headers, agent: false });
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  sent.on('error', () => undefined);
  response.on('error', () => undefined);
  if (response.statusCode !== 200) assert.fail(`${response.statusCode}: ${Buffer.concat(await response.toArray()).toString()}`);
  const events: SseEvent[] = [];
  let lastId = '';
  let comments = 0;
  let fields: Record<string, string> = {};
  const lines = createInterface({ input: response });
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    if (line === '') {
      lastId = fields['id'] ?? lastId;
      if (fields['data'] !== undefined)
        events.push({ id: lastId, event: fields['event'] ?? 'message', data: JSON.parse(fields['data']), at: performance.now() });
      fields = {};
    } else if (line.startsWith(':')) comments += 1;
    else fields[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 1).trimStart();
  });
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  return {
    headers: response.headers,
    events,
    lastId: () => lastId,
    comments: () => comments,
    ended,
    async has(count, patienceMs = 10_000) {
      const until = performance.now() + patienceMs;
      while (events.length < count) {
        if (performance.now() > until)
          assert.fail(`${events.length} of ${count} events: ${JSON.stringify(events.map(({ event }) => event))}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return events;
    },
    close: () => sent.destroy(),
  };
}

/** Waits until the server has sent the position at which the stream begins. */
export async function opened(stream: SseStream): Promise<SseStream> {
  while (stream.lastId() === '') await new Promise((resolve) => setTimeout(resolve, 2));
  return stream;
}
