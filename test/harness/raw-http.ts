/** Requests written byte by byte to a plain socket, as no well-behaved client would send them. */
import { connect } from 'node:net';
import type { Envelope, Reply } from './http.ts';

export interface RawRequest {
  readonly method: string;
  /** The request target as sent: nothing is encoded or normalised. */
  readonly path: string | Buffer;
  readonly headers?: readonly (readonly [name: string, value: string | Buffer])[];
  readonly body?: string | Buffer;
}

export interface RawReply extends Reply {
  readonly text: string;
}

export async function sendRaw(url: string, request: RawRequest): Promise<RawReply> {
  return parseReply(await exchangeBytes(url, toBytes(url, request)));
}

/** The bytes of a request that asks for the connection to be closed after the answer. */
export function toBytes(url: string, { method, path, headers = [], body }: RawRequest): Buffer {
  const parts: (string | Buffer)[] = [`${method} `, path, ` HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n`];
  for (const [name, value] of headers) parts.push(`${name}: `, value, '\r\n');
  const content = body === undefined ? undefined : Buffer.from(body as string);
  const sized = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  if (content !== undefined && !sized) parts.push(`Content-Length: ${content.length}\r\n`);
  parts.push('\r\n');
  if (content !== undefined) parts.push(content);
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)));
}

/** All bytes of the server until it closes. A reset after an early answer is no error, because only the answer counts. */
export async function exchangeBytes(url: string, bytes: Buffer, timeoutMs = 20_000): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    const timer = setTimeout(() => socket.destroy(new Error(`no end of the answer within ${timeoutMs} ms`)), timeoutMs);
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', (error) => {
      if (received.length === 0) reject(error);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(received));
    });
    socket.write(bytes);
  });
}

export function parseReply(bytes: Buffer): RawReply {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`the server closed without a complete answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`);
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  const text = bytes.subarray(end + 4).toString('utf8');
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: parseJson(text) };
}

function parseJson(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return {};
  }
}
