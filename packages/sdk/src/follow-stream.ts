/** Follows an event stream: reconnects and resumes after the last id, until the caller stops it or the service refuses. */
import type { ComposedRequest } from './compose-request.ts';
import { decodeAnswer } from './decode-answer.ts';
import { MarketApiError } from './market-api-error.ts';
import type { Prove } from './proof.ts';
import { readSse } from './read-sse.ts';
import { sleep, type TransportOptions, unreachable } from './transport.ts';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** Longest silence before a reconnect; the service sends a heartbeat every 15 seconds. */
const SILENCE_MS = 45_000;

/** Ends without an error when `signal` is aborted. */
export async function* followStream(
  options: TransportOptions,
  request: ComposedRequest,
  prove: Prove,
  signal?: AbortSignal,
): AsyncGenerator<unknown> {
  const isOver = () => signal?.aborted === true;
  let lastId = '';
  let failures = 0;
  while (!isOver()) {
    let waitMs = 0;
    try {
      for await (const { id, event, data } of connect(options, request, (await prove()).headers, lastId, signal)) {
        failures = 0;
        lastId = id;
        // Ignore the reason of `bye`: the next connection either resumes or is refused.
        if (event === 'bye') break;
        if (data !== undefined) yield JSON.parse(data);
      }
    } catch (error) {
      if (isOver()) return;
      if (!mayHelpToRetry(error)) throw error;
      if (error instanceof MarketApiError) waitMs = (error.retryAfterSeconds ?? 0) * 1000;
    }
    await sleep(Math.max(waitMs, delayMs(failures)), signal);
    failures += 1;
  }
}

async function* connect(
  options: TransportOptions,
  request: ComposedRequest,
  proof: Readonly<Record<string, string>>,
  lastId: string,
  signal: AbortSignal | undefined,
): ReturnType<typeof readSse> {
  const connection = new AbortController();
  let timer = setTimeout(() => connection.abort(), SILENCE_MS);
  const isAlive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(), SILENCE_MS);
  };
  try {
    const { fetch } = options;
    const response = await fetch(`${options.baseUrl}${request.path}${request.search}`, {
      headers: { ...request.headers, ...proof, accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      signal: signal === undefined ? connection.signal : AbortSignal.any([connection.signal, signal]),
    }).catch((error: unknown) => {
      throw unreachable(options.baseUrl, error);
    });
    if (!isStream(response)) decodeAnswer(response, await response.text(), false);
    for await (const message of readSse(chunksOf(response), isAlive)) yield { ...message, id: message.id === '' ? lastId : message.id };
  } finally {
    clearTimeout(timer);
    connection.abort();
  }
}

function isStream(response: Response): boolean {
  return response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Reads chunks by a reader, because not every browser can iterate over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

/** True for temporary errors: a lost connection, a server that stops or is full. */
function mayHelpToRetry(error: unknown): boolean {
  if (!(error instanceof MarketApiError)) return !(error instanceof SyntaxError);
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

function delayMs(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
