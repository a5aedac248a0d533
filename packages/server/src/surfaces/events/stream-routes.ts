/** GET /api/events/stream: access, number and duration of streams. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';
import { type EventsContext, type FeedQuery, openGuardedFeed } from '../../features/events/index.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Executor } from '../execute-operation.ts';
import { countOf, countRequest } from '../rest/count-request.ts';
import { flattenRequest } from '../rest/flatten-request.ts';
import { offerSignIn, withoutSignInParameters } from '../rest/offer-sign-in.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import { cutOffStalled, STALLED_MS } from './cut-off-stalled.ts';
import { writeStream } from './event-stream.ts';
import { streamOperation } from './stream-operation.ts';

export interface StreamRoutesOptions {
  readonly executor: Executor;
  readonly log: Logger;
  readonly signIn: SignInWithX;
  readonly events: EventsContext;
  readonly pace?: StreamPace;
}

export interface StreamPace {
  readonly heartbeatMs: number;
  /** How long a stream may outlast an expired credential, besides one heartbeat. */
  readonly recheckMs: number;
  /** A reader that reads nothing for this long is disconnected. */
  readonly stalledMs: number;
}

const PACE: StreamPace = { heartbeatMs: 15_000, recheckMs: 30_000, stalledMs: STALLED_MS };

export function addStreamRoutes(app: FastifyInstance, options: StreamRoutesOptions): void {
  const { rest } = streamOperation.spec;
  app.route({
    method: rest.method,
    url: rest.path,
    exposeHeadRoute: false,
    config: { load: 'stream' },
    onRequest: async (request, reply) => {
      await countRequest(options.executor.calls, streamOperation, request, reply);
    },
    handler: async (request, reply) => {
      const content = await openStream(request, reply, options).catch((error: unknown) => {
        throw offerSignIn(options.signIn, request, reply, error);
      });
      // Keeps proxies from buffering or compressing events.
      return await reply
        .headers({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
        .type('text/event-stream; charset=utf-8')
        .send(content);
    },
  });
}

async function openStream(request: FastifyRequest, reply: FastifyReply, options: StreamRoutesOptions): Promise<Readable> {
  const { events, executor, log } = options;
  const { stalledMs, heartbeatMs, recheckMs } = options.pace ?? PACE;
  const feed = await openGuardedFeed(events, {
    clientAddress: request.ip,
    recheckMs,
    async admit() {
      const { args, unknownFields } = flattenRequest(streamOperation, { path: {}, query: readQuery(request), body: {}, headers: {} });
      const credentials = readCredentials(request);
      const opened = await executor.open({ operation: streamOperation, args, unknownFields, credentials, counted: countOf(request), log });
      return { ...opened, query: opened.input as FeedQuery };
    },
  });
  // Stop following when the reader has left.
  reply.raw.once('close', feed.close);
  if (reply.raw.destroyed) feed.close();
  return Readable.from(
    cutOffStalled(writeStream(feed, heartbeatMs), stalledMs, () => reply.raw.destroy()),
    { objectMode: false },
  );
}

/** The id to resume from: browsers send it as a header; other clients may put it into the URL. */
function readQuery(request: FastifyRequest): unknown {
  const { last_event_id: inAddress, ...query } = withoutSignInParameters(request.query) as Record<string, unknown>;
  const lastId = request.headers['last-event-id'] ?? inAddress;
  return lastId === undefined || lastId === '' ? query : { ...query, after: lastId };
}
