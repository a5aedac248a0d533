/** Calls a Node request handler without a connection, so that its answer passes through our own server with all its headers and logs. */
import {
  type IncomingHttpHeaders,
  IncomingMessage,
  type IncomingMessage as Message,
  type OutgoingHttpHeaders,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';

export interface PlainRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** The headers that were sent once. */
export function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

export interface PlainPair {
  readonly request: Message;
  readonly response: ServerResponse;
}

export function plainPair({ method, url, headers, body }: PlainRequest): PlainPair {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method, url, headers: { ...headers, ...(body && { 'content-length': String(body.length) }) } });
  if (body !== undefined) request.push(body);
  request.push(null);
  return { request, response: new ServerResponse(request) };
}

export async function exchange(handler: RequestListener, asked: PlainRequest): Promise<PlainAnswer> {
  const { request, response } = plainPair(asked);
  return await new Promise((resolve, reject) => {
    const end = (chunk?: unknown): ServerResponse => {
      const body = typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.from(chunk as string) : Buffer.alloc(0);
      resolve({ status: response.statusCode, headers: response.getHeaders(), body });
      return response;
    };
    Object.assign(response, { end });
    Promise.resolve(handler(request, response)).catch(reject);
  });
}
