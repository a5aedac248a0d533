/** Routes that accept a file: the form is not parsed here, large sizes are refused early, and refusals reach the client. */
import type { IncomingMessage } from 'node:http';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fileTooLarge } from '../receive-file.ts';
import type { FormRules } from './open-form.ts';

/** Bytes of the form around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** Makes a scope of the server accept exactly this kind of body, unread. */
export function acceptForm(scope: FastifyInstance, { field }: FormRules): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null, undefined));
  scope.addContentTypeParser('*', (_request, _body, done) => {
    done(
      new MarketError('unsupported_media_type', { message: `Send the body as multipart/form-data, with the file in the field ${field}.` }),
    );
  });
}

/** Refuses an announced length above the limit before reading the body. */
export function refuseAnnouncedSize(request: FastifyRequest, reply: FastifyReply, { maxBytes }: FormRules): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (!(announced > maxBytes + FORM_OVERHEAD_BYTES)) return;
  if (announced > MAX_DROPPED_BYTES) reply.header('Connection', 'close');
  throw fileTooLarge(maxBytes);
}

/** Up to this much is read and dropped, so that the client can read the answer before the connection closes. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_DROPPING_MS = 10_000;

/** Reads the rest of a refused request. False if that is too much. */
export async function readToEnd(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return true;
  // The form parser has stopped and would keep the rest from arriving.
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
