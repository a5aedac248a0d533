/** Webhook handlers with `Request` and `Response`: for workers, Deno, Bun, Next.js routes, and Hono. */
import { MAX_BODY_BYTES, receiveWebhook, tooLarge, type WebhookAnswer, type WebhookOptions } from './receive-webhook.ts';

export function fetchWebhook(options: WebhookOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const rawBody = await readBounded(request);
    const header = (name: string) => request.headers.get(name);
    return responseOf(rawBody === undefined ? tooLarge() : await receiveWebhook({ rawBody, header }, options));
  };
}

/** `app.post('/hook', honoWebhook({ … }))` */
export function honoWebhook(options: WebhookOptions): (context: { readonly req: { readonly raw: Request } }) => Promise<Response> {
  const handle = fetchWebhook(options);
  return (context) => handle(context.req.raw);
}

function responseOf({ status, body }: WebhookAnswer): Response {
  return Response.json(body, { status });
}

async function readBounded(request: Request): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
