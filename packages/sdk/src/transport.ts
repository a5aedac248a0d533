/** Sends a request and retries temporary failures. */
import type { ComposedRequest } from './compose-request.ts';
import { decodeAnswer } from './decode-answer.ts';
import { MarketApiError } from './market-api-error.ts';
import type { Prove } from './proof.ts';

export interface TransportOptions {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly retries: number;
}

const FIRST_DELAY_MS = 200;
const FILES_TAKE_LONGER = 10;
/** Longest wait before a retry; longer waits are left to the caller. */
const LONGEST_WAIT_MS = 10_000;

/** `prove` runs anew for each attempt, because a single-use signature may have been spent by the attempt before. */
export async function sendWithRetries(
  options: TransportOptions,
  request: ComposedRequest,
  prove: Prove,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const proven = await withProof(request, prove);
    try {
      return await sendOnce(options, proven, signal);
    } catch (error) {
      const delayMs = attempt < options.retries ? delayBeforeRetry(error, attempt) : undefined;
      if (delayMs === undefined) throw error;
      await sleep(delayMs, signal);
    }
  }
}

async function withProof(request: ComposedRequest, prove: Prove): Promise<ComposedRequest> {
  const { headers, fields } = await prove();
  if (fields === undefined) return { ...request, headers: { ...request.headers, ...headers } };
  const ofBody = request.file === undefined ? { 'content-type': 'application/json' } : {};
  return { ...request, headers: { ...request.headers, ...ofBody, ...headers }, body: { ...request.body, ...fields } };
}

async function sendOnce(options: TransportOptions, request: ComposedRequest, signal?: AbortSignal): Promise<Record<string, unknown>> {
  const timeout = new AbortController();
  const timeoutMs = request.file === undefined ? options.timeoutMs : options.timeoutMs * FILES_TAKE_LONGER;
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const { fetch } = options;
    const response = await fetch(`${options.baseUrl}${request.path}${request.search}`, {
      method: request.method,
      headers: request.headers,
      // Refuse redirects: keys and signatures go to this service only.
      redirect: 'error',
      signal: signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]),
      ...contentOf(request),
    });
    return decodeAnswer(response, await response.text(), request.bareAnswer);
  } catch (error) {
    if (error instanceof MarketApiError) throw error;
    signal?.throwIfAborted();
    throw timeout.signal.aborted ? timedOut(timeoutMs) : unreachable(options.baseUrl, error);
  } finally {
    clearTimeout(timer);
  }
}

function contentOf({ body, file }: ComposedRequest): Pick<RequestInit, 'body'> {
  if (file === undefined) return body === undefined ? {} : { body: JSON.stringify(body) };
  const form = new FormData();
  for (const [name, value] of Object.entries(body ?? {})) form.append(name, String(value));
  // Append the file last, because the service reads the fields before the file.
  form.append(file.field, file.content, file.content instanceof File ? file.content.name : 'file');
  return { body: form };
}

function timedOut(timeoutMs: number): MarketApiError {
  return new MarketApiError({ status: 0, code: 'request_timed_out', message: `No answer within ${timeoutMs / 1000} s.` });
}

export function unreachable(baseUrl: string, cause: unknown): MarketApiError {
  return new MarketApiError({
    status: 0,
    code: 'network_error',
    message: `${baseUrl} cannot be reached. Check the address and the connection.`,
    cause,
  });
}

/** The pause before a retry; undefined if a retry cannot help. Writes carry an idempotency key, so they are as safe to repeat as reads. */
function delayBeforeRetry(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof MarketApiError)) return undefined;
  const { status, code, retryAfterSeconds } = error;
  const mayHelp =
    code === 'network_error' ||
    code === 'request_timed_out' ||
    code === 'idempotency_in_flight' ||
    status === 503 ||
    (status === 429 && retryAfterSeconds !== undefined);
  if (!mayHelp) return undefined;
  const delayMs = retryAfterSeconds === undefined ? FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random()) : retryAfterSeconds * 1000;
  return delayMs <= LONGEST_WAIT_MS ? delayMs : undefined;
}

export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  let wake = (): void => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const timer = setTimeout(wake, delayMs);
  signal?.addEventListener('abort', wake);
  await woken;
  clearTimeout(timer);
  signal?.removeEventListener('abort', wake);
}
