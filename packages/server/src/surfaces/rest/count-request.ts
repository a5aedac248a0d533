/** Counts a request before its body is read, and adds the limit headers. The executor uses this count. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallCounter, CountedCall, CountedOperation } from '../count-calls.ts';
import { limitHeaders } from './limit-headers.ts';
import { sandboxPassOf } from './read-credentials.ts';

const counts = new WeakMap<FastifyRequest, CountedCall>();

/** Throws when the client is over its limit. */
export async function countRequest(
  calls: CallCounter,
  operation: CountedOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  counted?: CountedCall,
): Promise<void> {
  const count = counted ?? (await calls.count(operation, { clientAddress: request.ip, ...sandboxPassOf(request) }));
  counts.set(request, count);
  if (count.verdict !== undefined) reply.headers(limitHeaders(count.verdict));
  calls.requireWithinLimit(count);
}

export function countOf(request: FastifyRequest): CountedCall | undefined {
  return counts.get(request);
}
