// The node's two ports, like a validator's: HTTP on the first, WebSocket on the second. WebSocket works on the first as well.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Faults } from './faults.ts';
import type { Dispatcher } from './rpc-dispatch.ts';
import type { Connection, Subscriptions } from './subscriptions.ts';

const MAX_BODY_BYTES = 50 * 1024;
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const MAX_WEB_SOCKETS = 1000;
const PORT_ATTEMPTS = 20;
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

export interface RpcServer {
  readonly port: number;
  /** Closes every open connection. */
  disconnectAll(): void;
  close(): Promise<void>;
}

export interface RpcServerOptions {
  readonly port: number;
  readonly host: string;
  readonly dispatcher: Dispatcher;
  readonly subscriptions: Subscriptions;
  readonly faults: Faults;
}

export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false });
  sockets.on('connection', (socket: WebSocket) => serveSocket(socket, options));
  const servers = [createPort(sockets, options), createPort(sockets, options)] as const;
  const port = await listenOnPair(servers, options.port, options.host);

  function disconnectAll(): void {
    for (const socket of sockets.clients) socket.terminate();
    for (const server of servers) server.closeAllConnections();
  }

  async function close(): Promise<void> {
    const closed = servers.map(closeServer);
    disconnectAll();
    await Promise.all(closed);
  }

  return { port, disconnectAll, close };
}

function createPort(sockets: WebSocketServer, options: RpcServerOptions): Server {
  const isDown = () => options.faults.current() === 'down';
  const server = createServer((request, response) => {
    if (isDown()) request.socket.destroy();
    else void serveHttp(request, response, options);
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (isDown() || sockets.clients.size >= MAX_WEB_SOCKETS) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, (upgraded) => sockets.emit('connection', upgraded, request));
  });
  return server;
}

async function serveHttp(request: IncomingMessage, response: ServerResponse, { dispatcher, faults }: RpcServerOptions): Promise<void> {
  const reply = (status: number, text: string, type = 'text/plain') => {
    if (faults.current() === 'down') response.destroy();
    else response.writeHead(status, { ...CORS, 'content-type': type }).end(text);
  };
  if (request.method === 'OPTIONS') return reply(204, '');
  if (request.method === 'GET' && request.url === '/health') return reply(200, 'ok');
  if (request.method !== 'POST') return reply(405, 'Use POST with a JSON-RPC call.\n');
  if (!request.headers['content-type']?.includes('application/json')) return reply(415, 'Use content-type application/json.\n');
  try {
    const body = await readBody(request);
    if (body === undefined) return reply(413, `The request exceeds ${MAX_BODY_BYTES} bytes.\n`);
    const { text, after } = await dispatcher.answer(body);
    reply(200, text ?? '', 'application/json');
    after();
  } catch {
    response.destroy(); // the client disconnected while sending
  }
}

/** Returns undefined for a body that is too large. It drains the rest, so that the client gets the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    if (size > 64 * MAX_BODY_BYTES) throw new Error('The request has no end.');
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function serveSocket(socket: WebSocket, { dispatcher, subscriptions }: RpcServerOptions): void {
  const sendText = (text: string) => {
    if (socket.bufferedAmount > MAX_UNSENT_BYTES)
      socket.terminate(); // the client does not read its notifications
    else if (socket.readyState === socket.OPEN) socket.send(text);
  };
  const connection: Connection = { send: (message) => sendText(JSON.stringify(message)) };
  socket.on('error', () => socket.terminate());
  socket.on('close', () => subscriptions.closeAll(connection));
  socket.on('message', async (data) => {
    const { text, after } = await dispatcher.answer(data.toString(), connection);
    if (text !== undefined) sendText(text);
    if (socket.readyState === socket.OPEN) after();
  });
}

/** Listens on a port and the next one. Without a given port, it takes the first free pair. */
async function listenOnPair([http, webSocket]: readonly [Server, Server], wanted: number, host: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await listen(http, wanted, host);
    try {
      await listen(webSocket, port + 1, host);
      return port;
    } catch (error) {
      await closeServer(http);
      if (wanted !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      reject(isTaken ? new Error(`Port ${port} on ${host} is in use; the local Solana chain needs it.`, { cause }) : cause);
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
