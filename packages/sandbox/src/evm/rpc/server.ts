// The node's public port: JSON-RPC over HTTP and WebSocket, for any page and any program on this machine.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Faults, SLOW_MILLISECONDS } from '../faults.ts';
import { answerCalls } from './answer-calls.ts';
import { callMethod, type MethodContext } from './methods.ts';
import { METHOD_NOT_FOUND, RpcError } from './rpc-error.ts';
import type { Subscriptions } from './subscriptions.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** A client with more unread notifications than this is disconnected. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

export interface RpcServer {
  readonly port: number;
  /** Ends open WebSocket connections, like a node that goes down. */
  disconnect(): void;
  close(): Promise<void>;
}

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly context: MethodContext;
  readonly subscriptions: Subscriptions;
  readonly faults: Faults;
  readonly log: (message: string) => void;
}

export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, faults, log } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES });
  const server = createServer((request, response) => {
    answerRequest(options, request, response).catch((error) => {
      log(`a request could not be answered: ${error}`);
      response.destroy();
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (faults.mode === 'down') return void socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (webSocket) => serveWebSocket(options, webSocket));
  });
  const disconnect = () => {
    for (const webSocket of sockets.clients) webSocket.terminate();
  };

  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(error.code === 'EADDRINUSE' ? portTaken(port, error) : error));
    server.listen(port, host, done);
  });
  server.on('error', (error) => log(`the port of the local EVM has trouble: ${error}`));
  return {
    port: (server.address() as AddressInfo).port,
    disconnect,
    async close() {
      disconnect();
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function portTaken(port: number, cause: Error): Error {
  return new Error(`Port ${port} of the local EVM is taken by another program. Stop that program or choose another port.`, { cause });
}

async function answerRequest(options: RpcServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { context, faults, log } = options;
  if (faults.mode === 'down') return finish(response, 503, 'The node is down.');
  if (request.method === 'OPTIONS') return finish(response, 204);
  if (request.method !== 'POST') return finish(response, 405, 'Send JSON-RPC calls by POST.');
  const text = await readBody(request);
  if (text === undefined) return finish(response, 413, `A request has at most ${MAX_BODY_BYTES} bytes.`);
  if (faults.mode === 'slow') await sleep(SLOW_MILLISECONDS);
  const answer = await answerCalls(text, (method, params) => callOverHttp(context, method, params), log);
  response.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end(answer ?? '');
}

function finish(response: ServerResponse, status: number, message = ''): void {
  response.writeHead(status, { ...CORS, 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(message);
}

/** Returns undefined for a body that is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Drain the body first, so that the client gets the refusal.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function callOverHttp(context: MethodContext, method: string, params: readonly unknown[]): Promise<unknown> {
  if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
    throw new RpcError(METHOD_NOT_FOUND, 'notifications not supported: use the WebSocket address');
  }
  return callMethod(context, method, params);
}

function serveWebSocket({ context, subscriptions, faults, log }: RpcServerOptions, webSocket: WebSocket): void {
  const send = (message: string) => {
    if (webSocket.bufferedAmount > MAX_UNSENT_BYTES) webSocket.terminate();
    else webSocket.send(message);
  };
  const subscriber = subscriptions.join(context.chain, send);
  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (method === 'eth_subscribe') return subscriber.subscribe(params);
    if (method === 'eth_unsubscribe') return subscriber.unsubscribe(params[0]);
    return callMethod(context, method, params);
  };
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', () => subscriber.leave());
  webSocket.on('message', async (message) => {
    if (faults.mode === 'slow') await sleep(SLOW_MILLISECONDS);
    const answer = await answerCalls(String(message), call, log);
    if (answer !== undefined && webSocket.readyState === webSocket.OPEN) send(answer);
  });
}
