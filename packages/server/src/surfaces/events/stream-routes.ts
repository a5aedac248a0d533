/** GET /api/events/stream: who may listen, how many, and for how long. */
import { Readable } from 'node:stream';
import { MarketError, operationList } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, principalOf } from '../../access/caller.ts';
import type { Credentials } from '../../access/credentials.ts';
import { refuseBanned } from '../../access/refuse-banned.ts';
import { requireAccess } from '../../access/require-access.ts';
import type { CallerResolver } from '../../access/resolve-caller.ts';
import { SIGN_IN_MAX_AGE_MS } from '../../access/sign-in-challenge.ts';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';
import { type EventsContext, type FeedWish, feedOf, openFeed } from '../../features/events/index.ts';
import { readInput } from '../read-input.ts';
import { offerSignIn, withoutSignInWish } from '../rest/offer-sign-in.ts';
import { countHit, type OperationRoutesOptions } from '../rest/operation-routes.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import { writeStream } from './event-stream.ts';

export interface StreamRoutesOptions extends Pick<OperationRoutesOptions, 'limiter' | 'metrics' | 'clock'> {
  readonly resolver: CallerResolver;
  readonly signIn: SignInWithX;
  readonly events: EventsContext;
  readonly pace?: StreamPace;
}

export interface StreamPace {
  readonly heartbeatMs: number;
  /** How long a revoked credential may still listen, besides one heartbeat. */
  readonly recheckMs: number;
  /** Who takes nothing for so long is cut off. */
  readonly stalledMs: number;
}

const PACE: StreamPace = { heartbeatMs: 15_000, recheckMs: 30_000, stalledMs: 20_000 };

const stream = operationList.find(({ name }) => name === 'events.stream');

export function addStreamRoutes(app: FastifyInstance, options: StreamRoutesOptions): void {
  if (stream === undefined) throw new Error('the contract has no events.stream');
  const { rest, limit } = stream.spec;
  app.route({
    method: rest.method,
    url: rest.path,
    exposeHeadRoute: false,
    config: { load: 'stream' },
    onRequest: async (request, reply) => {
      if (limit !== undefined) await countHit(`${rest.method} ${rest.path}`, limit, request, reply, options);
    },
    handler: async (request, reply) => {
      const content = await openStream(request, reply, options).catch((error: unknown) => {
        throw offerSignIn(options.signIn, request, reply, error);
      });
      // A proxy that collects or compresses would keep events back.
      return await reply
        .headers({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
        .type('text/event-stream; charset=utf-8')
        .send(content);
    },
  });
}

async function openStream(request: FastifyRequest, reply: FastifyReply, options: StreamRoutesOptions): Promise<Readable> {
  const { events } = options;
  const credentials = readCredentials(request);
  const caller = await admit(credentials, request.ip, options);
  const wish = readWish(request);
  const giveBack = events.places.take(principalOf(caller, request.ip), request.ip);
  reply.raw.once('close', giveBack);
  const { after, follower } = await openFeed(events, caller, wish).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  // Nobody waits for an event on behalf of somebody who left.
  reply.raw.once('close', follower.close);
  if (reply.raw.destroyed) follower.close();

  const { stalledMs, ...pace } = options.pace ?? PACE;
  const recheck = renewal(credentials, caller, request.ip, options);
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

/** The reader pulls; who does not for a while holds memory for nothing and can resume by id. */
async function* cutOffStalled(chunks: AsyncGenerator<string>, stalledMs: number, cutOff: () => void): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    const timer = setTimeout(cutOff, stalledMs);
    try {
      yield chunk;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function admit(credentials: Credentials, clientAddress: string, { resolver, events }: StreamRoutesOptions): Promise<Caller> {
  const caller = await resolver.resolve(credentials);
  await refuseBanned(events.database.db, caller, clientAddress);
  requireAccess(stream?.spec.access ?? { accepts: [] }, caller);
  if (caller.agent?.keyRetired === true) throw new MarketError('invalid_api_key');
  return caller;
}

/** Browsers resume with the header; who cannot set one puts it into the address. */
function readWish(request: FastifyRequest): FeedWish {
  if (stream === undefined) return {};
  const { last_event_id: inAddress, ...query } = withoutSignInWish(request.query) as Record<string, unknown>;
  const lastId = request.headers['last-event-id'] ?? inAddress;
  const resumed = lastId === undefined || lastId === '' ? {} : { after: lastId };
  return readInput(stream, { path: {}, query: { ...query, ...resumed }, body: {}, headers: {} }, () => {}) as FeedWish;
}

/** Whether the same credentials would still open the stream, and for whom. */
function renewal(credentials: Credentials, first: Caller, clientAddress: string, options: StreamRoutesOptions): () => Promise<Caller> {
  const { signIn, ...lasting } = credentials;
  if (signIn === undefined) return () => admit(credentials, clientAddress, options);
  // The message is used up. The stream it opened lives for as long as the message would have.
  const { clock, resolver } = options;
  const endsAt = clock.realNow().getTime() + SIGN_IN_MAX_AGE_MS - (first.wallet?.signatureAgeMs ?? 0);
  return async () => {
    if (clock.realNow().getTime() > endsAt) throw new MarketError('signature_expired');
    const caller: Caller = { ...(await resolver.resolve(lasting)), ...(first.wallet && { wallet: first.wallet }) };
    await refuseBanned(options.events.database.db, caller, clientAddress);
    return caller;
  };
}
