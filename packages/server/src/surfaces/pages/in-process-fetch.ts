/** Calls the REST API of this process for a page, with the visitor's cookies and address, without a connection. */
import type { RenderRequest } from '@market/web';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteFailedPart } from '../ready/page-parts.ts';
import { isSameForAll } from '../ready/ready-operations.ts';

type InjectMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function inProcessFetch(app: FastifyInstance, visitor: FastifyRequest): RenderRequest['fetch'] {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = (init?.method ?? 'GET') as InjectMethod;
    // Reads that are the same for everybody are asked without cookies, because those answers are in memory.
    const cookie = method === 'GET' && isSameForAll(url) ? undefined : visitor.headers.cookie;
    const answer = await app.inject({
      method,
      url: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...(cookie && { cookie }) },
      ...(typeof init?.body === 'string' && { payload: init.body }),
      // Limits count the visitor.
      remoteAddress: visitor.ip,
    });
    if (answer.statusCode >= 400) noteFailedPart();
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
    );
    const hasBody = answer.statusCode !== 204 && answer.statusCode !== 304;
    return new Response(hasBody ? answer.payload : null, { status: answer.statusCode, headers });
  };
}
