/** Routes that take a file: the form stays unread, large sizes are refused early, and refusals reach the client. */
import type { IncomingMessage } from 'node:http';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fileTooLarge } from '../receive-file.ts';
import type { FormRules } from './open-form.ts';

/** Everything around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** Prepares a scope of the server in which exactly this kind of body is accepted, unread. */
export function acceptForm(scope: FastifyInstance, { field }: FormRules): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null, undefined));
  scope.addContentTypeParser('*', (_request, _body, done) => {
    done(
      new MarketError('unsupported_media_type', { message: `Send the body as multipart/form-data, with the file in the field ${field}.` }),
    );
  });
}

/** Refuses an announced length above the limit without reading anything. */
export function refuseAnnouncedSize(request: FastifyRequest, reply: FastifyReply, { maxBytes }: FormRules): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (!(announced > maxBytes + FORM_OVERHEAD_BYTES)) return;
  if (announced > MAX_DROPPED_BYTES) reply.header('Connection', 'close');
  throw fileTooLarge(maxBytes);
}

/** So much is read and dropped, so that the client can read the answer before the connection closes. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_DROPPING_MS = 10_000;

/** Reads the rest of a refused request. False when there is too much of it. */
export async function readToEnd(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return true;
  // The parser that was reading has stopped and would hold the rest back.
  request.unpipe();
  return await new Promise<boolean>((resolve) => {
    let dropped = 0;
    const end = (whole: boolean): void => {
      clearTimeout(timer);
      request.pause();
      resolve(whole);
    };
    const timer = setTimeout(() => end(false), MAX_DROPPING_MS);
    request.once('end', () => end(true));
    request.once('close', () => end(true));
    request.on('data', (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > MAX_DROPPED_BYTES) end(false);
    });
    request.resume();
  });
}
