/** Mounts the sandbox's identity provider under its path, and accepts the form bodies that browsers and OAuth clients send. */
import type { DevelopmentIdentityProvider } from '@market/sandbox';
import type { FastifyInstance } from 'fastify';
import { exchange, singleHeaders } from '../plain-exchange.ts';

export const IDENTITY_PROVIDER_PATH = '/sandbox/oidc';

export async function mountIdentityProvider(app: FastifyInstance, provider: DevelopmentIdentityProvider): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: 16 * 1024 },
      async (_request: unknown, body: Buffer) => body,
    );
    scope.route({
      method: ['GET', 'POST'],
      url: `${IDENTITY_PROVIDER_PATH}/*`,
      handler: async (request, reply) => {
        const answer = await exchange(provider.handle, {
          method: request.method,
          url: request.url.slice(IDENTITY_PROVIDER_PATH.length),
          headers: singleHeaders(request.headers),
          body: request.body as Buffer | undefined,
        });
        return await reply.code(answer.status).headers(answer.headers).send(answer.body);
      },
    });
  });
}
