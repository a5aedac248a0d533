/** Mounts the sandbox's identity provider under its path, with the form bodies that browsers and OAuth clients send. */
import type { DevelopmentIdentityProvider } from '@market/sandbox';
import type { FastifyInstance } from 'fastify';

export const IDENTITY_PROVIDER_PATH = '/sandbox/oidc';

export async function mountIdentityProvider(app: FastifyInstance, provider: DevelopmentIdentityProvider): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16 * 1024 },
      async (_request: unknown, body: string) => body,
    );
    scope.route({
      method: ['GET', 'POST'],
      url: `${IDENTITY_PROVIDER_PATH}/*`,
      handler: async (request, reply) => {
        const url = new URL(request.url, 'http://provider');
        const answer = await provider.handle({
          method: request.method,
          path: url.pathname.slice(IDENTITY_PROVIDER_PATH.length),
          query: url.searchParams,
          headers: request.headers,
          body: typeof request.body === 'string' ? request.body : '',
        });
        return await reply.code(answer.status).headers(answer.headers).send(answer.body);
      },
    });
  });
}
