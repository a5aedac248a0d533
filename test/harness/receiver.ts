/** A foreign server on loopback: records requests and answers as set. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Envelope } from './http.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Envelope;
  /** Time of arrival, by the clock of `performance`. */
  readonly atMs: number;
}

export type Answering = (response: ServerResponse, received: Received) => void | Promise<void>;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Sets how it answers from now on. */
  answer(answering: Answering): void;
  /** The number of connections so far. */
  connections(): number;
  openConnections(): Promise<number>;
  close(): Promise<void>;
}

/** With `only`, calls about another event are acknowledged but not recorded. */
export async function openReceiver(
  first: Answering = (response) => void response.end(),
  { only }: { readonly only?: string } = {},
): Promise<Receiver> {
  let answering = first;
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const one: Received = { method, path, headers, text, json: text === '' ? {} : (JSON.parse(text) as Envelope), atMs: performance.now() };
    if (only !== undefined && headers['x-market-event'] !== only) {
      response.end();
      return;
    }
    received.push(one);
    await answering(response, one);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      answering = next;
    },
    connections: () => connections,
    openConnections: async () =>
      await new Promise((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with JSON. */
export function withJson(status: number, body: unknown): Answering {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}
