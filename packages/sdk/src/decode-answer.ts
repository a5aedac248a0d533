import { MarketApiError } from './market-api-error.ts';

type Envelope = Record<string, unknown>;

/** Returns the envelope without `success`: `{ data, …extras }`; a bare document becomes `data`. Throws refusals. */
export function decodeAnswer(response: Response, text: string, bare: boolean): Envelope {
  const envelope = parseEnvelope(text);
  if (bare && response.ok && envelope !== undefined) return { data: envelope };
  if (envelope === undefined || typeof envelope['success'] !== 'boolean') throw unexpected(response);
  const { success, ...fields } = envelope;
  if (success) return fields;
  throw refusal(response, fields);
}

function refusal(response: Response, { error, code, request_id: requestId, data, ...extras }: Envelope): MarketApiError {
  return new MarketApiError({
    status: response.status,
    code: typeof code === 'string' ? code : 'unexpected_answer',
    message: typeof error === 'string' ? error : `The service answered ${response.status} without a reason.`,
    requestId: typeof requestId === 'string' ? requestId : requestIdOf(response),
    data: isRecord(data) ? data : undefined,
    extras,
    retryAfterSeconds: retryAfterOf(response),
  });
}

function unexpected(response: Response): MarketApiError {
  return new MarketApiError({
    status: response.status,
    code: 'unexpected_answer',
    message: wordsFor(response),
    requestId: requestIdOf(response),
    retryAfterSeconds: retryAfterOf(response),
  });
}

/** The message for an answer without the envelope, which comes from a proxy or another server. */
function wordsFor({ status }: Response): string {
  if (status === 413)
    return 'A proxy in front of the service refused the size of this request (status 413). Its operator can raise the limit.';
  if (status === 502 || status === 504) return `A proxy in front of the service got no answer from it (status ${status}).`;
  return `The answer (status ${status}) is not one of this service. Check the base URL.`;
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined;
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
