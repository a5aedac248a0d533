/** What a route that takes a file asks of the server: the form left on the wire, sizes refused early, refusals that arrive. */
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

/** A length above the limit is believed: then nothing needs to be read. */
export function refuseAnnouncedSize(request: FastifyRequest, reply: FastifyReply, { maxBytes }: FormRules): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (!(announced > maxBytes + FORM_OVERHEAD_BYTES)) return;
  if (announced > MOST_WASTED_BYTES) reply.header('Connection', 'close');
  throw fileTooLarge(maxBytes);
}

/** What is read and thrown away so that an honest client gets to read the answer before the connection closes. */
const MOST_WASTED_BYTES = 64 * 1024 * 1024;
const LONGEST_WASTE_MS = 10_000;

/** Reads the rest of a refused request. False when there is more of it than anybody honest would send. */
export async function readToEnd(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return true;
  // Whoever was reading has given up, and would only hold the rest back.
  request.unpipe();
  return await new Promise<boolean>((resolve) => {
    let wasted = 0;
    const end = (whole: boolean): void => {
      clearTimeout(timer);
      request.pause();
      resolve(whole);
    };
    const timer = setTimeout(() => end(false), LONGEST_WASTE_MS);
    request.once('end', () => end(true));
    request.once('close', () => end(true));
    request.on('data', (chunk: Buffer) => {
      wasted += chunk.length;
      if (wasted > MOST_WASTED_BYTES) end(false);
    });
    request.resume();
  });
}
