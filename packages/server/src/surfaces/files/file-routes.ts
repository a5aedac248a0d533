/** Serves uploaded files to callers with access, with headers that keep any content from running. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isNoted, type SeenSignatures } from '../../access/authority/seen-signatures.ts';
import { type Caller, isSomebody } from '../../access/caller.ts';
import { refuseBanned } from '../../access/refuse-banned.ts';
import type { CallerResolver } from '../../access/resolve-caller.ts';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';
import { FILES_PATH, type OpenFile, type ReadableFile } from '../../features/uploads/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { offerSignIn } from '../rest/offer-sign-in.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import { contentDisposition } from './content-disposition.ts';
import { PLACEHOLDER } from './placeholder.ts';
import { readRange } from './read-range.ts';

export interface FileRoutesOptions {
  readonly db: Db;
  readonly resolver: CallerResolver;
  readonly signIn: SignInWithX;
  readonly openFile: OpenFile;
  readonly seenSignatures: SeenSignatures;
}

interface FileRequest {
  readonly Params: { readonly id: string };
  readonly Querystring: { readonly grant?: unknown };
}

export function addFileRoutes(app: FastifyInstance, options: FileRoutesOptions): void {
  app.get<FileRequest>(`${FILES_PATH}/:id`, async (request, reply) => {
    const file = await requestedFile(request, options).catch((error: unknown) => {
      throw offerSignIn(options.signIn, request, reply, error);
    });
    return file === undefined ? sendPlaceholder(reply) : await sendFile(request, reply, file);
  });
}

async function requestedFile(request: FastifyRequest<FileRequest>, options: FileRoutesOptions): Promise<ReadableFile | undefined> {
  const { grant } = request.query;
  const caller = await callerOf(request, options);
  return await options.openFile({ id: request.params.id, grant: typeof grant === 'string' ? grant : undefined, caller });
}

async function callerOf(request: FastifyRequest, { resolver, db, seenSignatures }: FileRoutesOptions): Promise<Caller> {
  const credentials = readCredentials(request);
  const caller = await resolver.resolve(credentials);
  const signer = caller.wallet ?? caller.walletElsewhere;
  // An action message confirms its action only, and reads no file.
  if (signer?.proof === 'action') throw new MarketError('invalid_signature', { message: 'This message was signed for something else.' });
  if (signer !== undefined && isNoted(signer)) await seenSignatures.note(signer, hashOf(credentials.request.path));
  if (isSomebody(caller)) await refuseBanned(db, caller, request.ip);
  if (caller.agent?.keyRetired === true || caller.agent?.active === false) throw new MarketError('invalid_api_key');
  return caller;
}

function hashOf(path: string): Buffer {
  return createHash('sha256').update(`GET ${path}`).digest();
}

async function sendFile({ method, headers }: FastifyRequest, reply: FastifyReply, file: ReadableFile): Promise<FastifyReply> {
  const range = readRange(headers.range, file.sizeBytes);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.sizeBytes}`);
    throw new MarketError('range_not_satisfiable');
  }
  // HEAD gets an empty stream, which leaves the Content-Length set here unchanged.
  const content = method === 'HEAD' ? Readable.from([]) : await file.open(range);
  reply.headers({
    ...inertHeaders(file.isPublic),
    'Content-Type': file.contentType,
    'Content-Disposition': contentDisposition(file.inline ? 'inline' : 'attachment', file.downloadName),
    'Accept-Ranges': 'bytes',
    'Content-Length': range === undefined ? file.sizeBytes : range.end - range.start + 1,
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${file.sizeBytes}` }),
  });
  return reply.code(range === undefined ? 200 : 206).send(content);
}

function sendPlaceholder(reply: FastifyReply): FastifyReply {
  return reply
    .headers({
      ...inertHeaders(false),
      'Content-Type': 'image/svg+xml; charset=utf-8',
      'Content-Disposition': 'inline; filename="preview.svg"',
    })
    .send(PLACEHOLDER);
}

/** A file opened directly would be a page of our origin. These headers deny it our origin, scripts, forms and requests. */
function inertHeaders(isPublic: boolean): Record<string, string> {
  return {
    'Content-Security-Policy':
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-site',
    // Cached for an hour only: a file that is public today can be hidden tomorrow.
    'Cache-Control': isPublic ? 'public, max-age=3600' : 'private, no-store',
  };
}
