/** The server of one MCP request. It is stateless: everything it knows came with the request. */
import { toolList, toolNamed } from '@market/contract';
import { ProtocolError, ProtocolErrorCode, type Server, type ServerOptions } from '@modelcontextprotocol/server';
import { callTool, type ToolCaller } from './call-tool.ts';
import { instructionsFor } from './server-words.ts';

export interface ServerFacts {
  readonly serviceName: string;
  readonly era: 'legacy' | 'modern';
  /** `Server`, or one with the fixtures of the conformance suite. */
  readonly makes: typeof Server;
}

/** Lists are the same for everybody and change only with a new version of the service. */
const LIST_MS = 3_600_000;
const sharedList = { ttlMs: LIST_MS, cacheScope: 'public' } as const;

const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': sharedList,
  'prompts/list': sharedList,
  'resources/list': sharedList,
  'resources/templates/list': sharedList,
  'server/discover': sharedList,
};

export function createMcpServer({ serviceName, makes }: ServerFacts, by: ToolCaller): Server {
  const server = new makes(
    { name: serviceName, version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: instructionsFor(serviceName), cacheHints },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolList.map(({ definition }) => definition) as never }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolNamed(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 80)}.`);
    const result = await callTool(by, { tool, args: params.arguments ?? {}, meta: mcpReq._meta ?? {}, signal: mcpReq.signal });
    return result as never;
  });
  return server;
}
