/** Documents that programs look for at fixed addresses: /llms.txt, and the keys of our signatures. */
import type { FastifyInstance } from 'fastify';
import { type LlmsTextOptions, renderLlmsText } from './llms-text.ts';

export interface DocumentsOptions extends Pick<LlmsTextOptions, 'serviceName' | 'baseUrl' | 'profile' | 'operations'> {
  readonly appUrl: string;
  /** The DID document; absent where nothing is signed. */
  readonly keys: { readonly path: string; readonly document: object } | undefined;
}

const MCP_PATH = '/mcp';

export function addDocuments(app: FastifyInstance, { appUrl, keys, ...options }: DocumentsOptions): void {
  let text: string | undefined;
  app.get('/llms.txt', async (_request, reply) => {
    // Made when it is first asked for, because by then everything that may be mentioned is mounted.
    text ??= renderLlmsText({
      ...options,
      mcpUrl: app.hasRoute({ method: 'POST', url: MCP_PATH }) ? `${appUrl}${MCP_PATH}` : undefined,
      keysUrl: keys === undefined ? undefined : `${options.baseUrl}${keys.path}`,
    });
    return reply.type('text/plain; charset=utf-8').header('Cache-Control', 'public, max-age=3600, stale-while-revalidate=86400').send(text);
  });
  if (keys === undefined) return;
  const document = JSON.stringify(keys.document);
  app.get(keys.path, async (_request, reply) =>
    reply.type('application/did+json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(document),
  );
}
