/** A proxy between client and market that forwards everything unchanged, and checks it against the market's own document. */
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { OpenApiDocument } from '@market/contract';
import { checkExchange } from './check-exchange.ts';
import { compileDocument } from './document-schemas.ts';
import type { Exchange } from './exchange.ts';

export interface CheckedCall {
  readonly operationId: string | undefined;
  readonly status: number;
  readonly contentType: string;
}

export interface ValidatingProxy {
  readonly url: string;
  readonly document: OpenApiDocument;
  readonly calls: readonly CheckedCall[];
  /** `POST /api/orders: 400: header X is not declared` */
  readonly violations: readonly string[];
  close(): Promise<void>;
}

export async function openValidatingProxy(marketUrl: string): Promise<ValidatingProxy> {
  const document = (await (await fetch(`${marketUrl}/api/openapi.json`)).json()) as OpenApiDocument;
  const schemas = compileDocument(document);
  const calls: CheckedCall[] = [];
  const violations: string[] = [];
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing).catch((error: Error) => outgoing.destroy(error)));

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const requestBody = await gather(incoming);
    const answer = await passOn(marketUrl, incoming, requestBody);
    const responseBody = await gather(answer);
    const { method = '', url = '' } = incoming;
    const exchange: Exchange = {
      method,
      url: new URL(url, marketUrl),
      requestHeaders: headersOf(incoming),
      requestBody,
      status: answer.statusCode ?? 0,
      responseHeaders: headersOf(answer),
      responseBody: decode(answer.headers['content-encoding'], responseBody),
    };
    const { operationId, violations: found } = await checkExchange(document, schemas, exchange);
    calls.push({ operationId, status: exchange.status, contentType: exchange.responseHeaders.get('content-type') ?? '' });
    violations.push(...found.map((problem) => `${method} ${exchange.url.pathname}: ${problem}`));
    outgoing.writeHead(exchange.status, answer.headers);
    outgoing.end(responseBody);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    document,
    calls,
    violations,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passOn(marketUrl: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(marketUrl);
    // A new connection for each request, because the market closes one whose body it refused.
    const request = send({ hostname, port, method, path: url, headers: { ...headers, host }, agent: false }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

function decode(encoding: string | undefined, body: Buffer): Buffer<ArrayBuffer> {
  if (encoding === undefined || body.length === 0) return Buffer.from(body);
  return Buffer.from(encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body));
}

async function gather(stream: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  return new Headers(
    Object.entries(headersDistinct).flatMap(([name, values]) => (values ?? []).map((value): [string, string] => [name, value])),
  );
}
