/** GET /api/events/stream: access, number and duration of streams. */
import { Readable } from 'node:stream';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, principalOf } from '../../access/caller.ts';
import type { Credentials } from '../../access/credentials.ts';
import type { CallerResolver } from '../../access/resolve-caller.ts';
import { SIGN_IN_MAX_AGE_MS } from '../../access/sign-in-challenge.ts';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';
import { type EventsContext, type FeedWish, feedOf, openFeed } from '../../features/events/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
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
  readonly resolver: CallerResolver;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signIn: SignInWithX;
  readonly events: EventsContext;
  readonly pace?: StreamPace;
}

export interface StreamPace {
  readonly heartbeatMs: number;
  /** How long a revoked credential may still listen, besides one heartbeat. */
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
  const { events, log } = options;
  const credentials = readCredentials(request);
  const { args } = flattenRequest(streamOperation, { path: {}, query: readQuery(request), body: {}, headers: {} });
  const { caller, input } = await options.executor.open({ operation: streamOperation, args, credentials, counted: countOf(request), log });
  const wish = input as FeedWish;
  const giveBack = events.places.take(principalOf(caller, request.ip), request.ip);
  reply.raw.once('close', giveBack);
  const { after, follower } = await openFeed(events, caller, wish).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  // Stop following when the reader has left.
  reply.raw.once('close', follower.close);
  if (reply.raw.destroyed) follower.close();

  const { stalledMs, ...pace } = options.pace ?? PACE;
  const recheck = renewal(credentials, caller, options);
  const written = writeStream({
    follower,
    after,
    recheck: async () => follower.changeTo(await feedOf(events.database.db, await recheck(), wish.agent_id)),
    ...pace,
  });
  return Readable.from(
    cutOffStalled(written, stalledMs, () => reply.raw.destroy()),
    { objectMode: false },
  );
}

/** Browsers resume with the header; other clients may put the id into the address. */
function readQuery(request: FastifyRequest): unknown {
  const { last_event_id: inAddress, ...query } = withoutSignInParameters(request.query) as Record<string, unknown>;
  const lastId = request.headers['last-event-id'] ?? inAddress;
  return lastId === undefined || lastId === '' ? query : { ...query, after: lastId };
}

/** Whether the same credentials would still open the stream, and for whom. */
function renewal(credentials: Credentials, first: Caller, { clock, executor, resolver }: StreamRoutesOptions): () => Promise<Caller> {
  const { signIn, ...lasting } = credentials;
  if (signIn === undefined) return () => executor.recheck(streamOperation, credentials);
  // The sign-in message is used up. The stream it opened lives as long as the message would have.
  const endsAt = clock.realNow().getTime() + SIGN_IN_MAX_AGE_MS - (first.wallet?.signatureAgeMs ?? 0);
  return async () => {
    if (clock.realNow().getTime() > endsAt) throw new MarketError('signature_expired');
    const caller: Caller = { ...(await resolver.resolve(lasting)), ...(first.wallet && { wallet: first.wallet }) };
    return await executor.recheck(streamOperation, lasting, caller);
  };
}
