/** A webhook handler for Express and other frameworks that pass Node's request and response. */
import { MAX_BODY_BYTES, receiveWebhook, tooLarge, type WebhookAnswer, type WebhookOptions } from './receive-webhook.ts';

interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded: boolean;
  /** The parsed body, if a body parser ran before. */
  readonly body?: unknown;
}

interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** `app.post('/hook', expressWebhook({ … }))`, before `express.json()` or with `express.raw()`. */
export function expressWebhook(
  options: WebhookOptions,
): (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const rawBody = await readRaw(request);
      const header = (name: string) => single(request.headers[name]);
      answer(response, rawBody === undefined ? tooLarge() : await receiveWebhook({ rawBody, header }, options));
    } catch (error) {
      if (next === undefined) throw error;
      next(error);
    }
  };
}

async function readRaw(request: NodeRequest): Promise<string | Uint8Array | undefined> {
  if (typeof request.body === 'string' || request.body instanceof Uint8Array) return request.body;
  if (request.readableEnded)
    throw new Error('The body was parsed before the webhook handler saw it. Put the handler before express.json(), or use express.raw().');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

function answer(response: NodeResponse, { status, body }: WebhookAnswer): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
