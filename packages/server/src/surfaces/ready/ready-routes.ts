import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CountedCall } from '../count-calls.ts';
import type { ReadyRule } from './ready-operations.ts';
import type { ReadyRoute } from './ready-store.ts';

/** The interface of kept answers for routes. */
export interface ReadyRoutes {
  /** The count of a request that had to go to the router. */
  countOf(request: FastifyRequest): CountedCall | undefined;
  /** Called before the answer is made. True when a kept answer was sent, or one that another request made. */
  begin(request: FastifyRequest, reply: FastifyReply, route: ReadyRoute, counted?: CountedCall): Promise<boolean>;
  /** Whether this request makes an answer that may be kept. Such an answer is sent plain, because the cache compresses it. */
  isMaking(request: FastifyRequest): boolean;
  /** Notes the rule by which a page may be kept. Without a rule it is not kept. */
  noteRule(request: FastifyRequest, rule: ReadyRule | undefined): void;
}
