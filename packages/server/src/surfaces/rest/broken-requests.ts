/** Answers requests in the envelope that are too broken to reach a route. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { MarketError } from '@market/contract';
import type { FastifyInstance } from 'fastify';
import { errorAnswer, JSON_TYPE } from './error-answer.ts';
import { newRequestId } from './request-id.ts';
import { cautiousHeaders, type HeaderOptions, standardHeaders } from './standard-headers.ts';

/** The error as Node's parser reports it. */
interface ClientFault {
  readonly code?: unknown;
  readonly rawPacket?: unknown;
}

/** Answers on the bare connection and closes it. */
export type RefuseConnection = (error: MarketError, socket: Socket) => void;

export function connectionRefuser(options: HeaderOptions): RefuseConnection {
  return (error, socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    const answer = errorAnswer(error, requestId);
    const body = JSON.stringify(answer.body);
    const headers = {
      'Content-Type': JSON_TYPE,
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
      ...standardHeaders(requestId, options),
      ...cautiousHeaders,
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    // Close both directions: a slow sender would keep its half open.
    socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head.join('')}\r\n${body}`);
    socket.destroySoon();
  };
}

export function clientFaultHandler(refuse: RefuseConnection): (error: ClientFault, socket: Socket) => void {
  return (error, socket) => refuse(new MarketError(faultCode(error)), socket);
}

function faultCode({ code, rawPacket }: ClientFault): 'headers_too_large' | 'uri_too_long' | 'request_timeout' | 'malformed_request' {
  if (code === 'HPE_HEADER_OVERFLOW') return isEndlessLine(rawPacket) ? 'uri_too_long' : 'headers_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
}

const LONGEST_LINE = 8 * 1024;

function isEndlessLine(packet: unknown): boolean {
  return Buffer.isBuffer(packet) && packet.length >= LONGEST_LINE && !packet.subarray(0, LONGEST_LINE).includes('\r\n');
}

/** Answers requests that Node would answer without the envelope: no Host, an unknown expectation, a tunnel. */
export function answerOddRequests(app: FastifyInstance, refuse: RefuseConnection): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.httpVersionMinor !== 1 || request.headers.host !== undefined) return done();
    reply.header('Connection', 'close');
    return done(new MarketError('malformed_request', { message: 'The header Host is missing.' }));
  });
  // We support only the expectation 100-continue; a request with another one is answered as if it had none.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    refuse(new MarketError('method_not_allowed', { message: 'CONNECT is not taken here. Use GET, POST, PUT, PATCH or DELETE.' }), socket);
  });
}
