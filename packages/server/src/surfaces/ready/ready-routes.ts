import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CountedCall } from '../count-calls.ts';
import type { ReadyRule } from './ready-operations.ts';
import type { ReadyRoute } from './ready-store.ts';

/** How routes use ready answers. */
export interface ReadyRoutes {
  /** The count of a request that was found to need the router. */
  countOf(request: FastifyRequest): CountedCall | undefined;
  /** Before the answer is made. True when one was sent that another request had made. */
  begin(request: FastifyRequest, reply: FastifyReply, route: ReadyRoute, counted?: CountedCall): Promise<boolean>;
  /** Whether this request makes an answer that may be kept. Then it is sent plain; we compress it. */
  isMaking(request: FastifyRequest): boolean;
  /** What a page was made from. Without a rule it is not kept. */
  noteRule(request: FastifyRequest, rule: ReadyRule | undefined): void;
}
