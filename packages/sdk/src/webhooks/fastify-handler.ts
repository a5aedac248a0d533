/** A webhook handler for Fastify. It is a plugin, because only a plugin's own scope can keep bodies unparsed. */
import { MAX_BODY_BYTES, receiveWebhook, type WebhookOptions } from './receive-webhook.ts';

interface FastifyScope {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  removeAllContentTypeParsers(): unknown;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

interface FastifyRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

interface FastifyReplyLike {
  code(status: number): { send(body: unknown): unknown };
}

/** `app.register(fastifyWebhook({ path: '/hook', … }))` */
export function fastifyWebhook({ path, ...options }: WebhookOptions & { readonly path: string }): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => done(null, body));
    scope.post(path, async (request, reply) => {
      const rawBody = request.body instanceof Uint8Array ? request.body : '';
      const header = (name: string) => [request.headers[name]].flat().join(',');
      const { status, body } = await receiveWebhook({ rawBody, header }, options);
      return reply.code(status).send(body);
    });
  };
}
