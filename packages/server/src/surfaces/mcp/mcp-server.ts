/** The server of one MCP request. It is stateless: all its data come with the request. */
import {
  instructionsFor,
  MarketError,
  promptList,
  type Tool,
  toolList,
  toolNamed,
  unknownPrompt,
  unknownTool,
  withProgress,
  writePrompt,
} from '@market/contract';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { askForApproval } from './ask-for-approval.ts';
import { callTool, type ToolCaller } from './call-tool.ts';
import { addOrderTasks, TASKS_EXTENSION, withRelatedTask } from './order-tasks.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { readResource, resourceList, resourceTemplates } from './resources.ts';

export interface ServerFacts {
  readonly serviceName: string;
  readonly era: 'legacy' | 'modern';
  /** The class `Server`, or its variant with the fixtures of the conformance suite. */
  readonly makes: typeof Server;
}

/** Lists are the same for everybody and change only with a new version of the service. */
const sharedList = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': sharedList,
  'prompts/list': sharedList,
  'resources/list': sharedList,
  'resources/templates/list': sharedList,
  'server/discover': sharedList,
};

/** Capabilities for the revision. Older ones have no stream on which a server without sessions could announce changes. */
function capabilitiesOf(era: ServerFacts['era']): NonNullable<ServerOptions['capabilities']> {
  return {
    tools: {},
    prompts: {},
    resources: era === 'modern' ? { subscribe: true } : {},
    ...(era === 'modern' && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}

export function createMcpServer({ serviceName, era, makes }: ServerFacts, by: ToolCaller): Server {
  const server = new makes(
    { name: serviceName, version: '1.0.0' },
    { capabilities: capabilitiesOf(era), instructions: instructionsFor(serviceName), cacheHints },
  );
  addTools(server, by);
  addResources(server, by);
  addPrompts(server);
  if (era === 'modern') addOrderTasks(server, by, supportsTasks);
  return server;
}

function addTools(server: Server, by: ToolCaller): void {
  // The definitions are ready to send; the SDK types them more narrowly than JSON Schema.
  server.setRequestHandler('tools/list', () => ({ tools: toolList.map(({ definition }) => definition) as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = toolNamed(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name));
    return (await answerCall(tool, params.arguments ?? {}, by, context)) as never;
  });
}

async function answerCall(tool: Tool, args: Record<string, unknown>, by: ToolCaller, context: ServerContext): Promise<object> {
  const { mcpReq } = context;
  const meta = mcpReq._meta ?? {};
  const run = () => callTool(by, { tool, args, meta, signal: mcpReq.signal });
  const isSlow = tool.operation.spec.effects.kind === 'pay';
  const channel = { token: meta.progressToken, notify: mcpReq.notify };
  const result = isSlow ? await withProgress(channel, tool.definition.title, run) : await run();
  const approval = askForApproval(result, capabilitiesIn(context));
  if (approval !== undefined) return approval;
  return supportsTasks(context) ? withRelatedTask(tool, result) : result;
}

function addResources(server: Server, by: ToolCaller): void {
  server.setRequestHandler('resources/list', () => ({ resources: resourceList }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq: { signal } }) => {
    try {
      return { ...(await readResource(by, uri, signal)) };
    } catch (error) {
      if (!(error instanceof MarketError)) throw error;
      if (error.status === 404) throw new ResourceNotFoundError(uri, error.message);
      throw protocolErrorOf(error);
    }
  });
}

function addPrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: promptList }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const written = writePrompt(params.name, params.arguments ?? {});
    if (written === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownPrompt(params.name));
    if (typeof written === 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, written);
    const content = { type: 'text' as const, text: written.text };
    return { description: written.description, messages: [{ role: 'user' as const, content }] };
  });
}

/** The client's capabilities by this request; none in older revisions, where only a session would know them. */
function capabilitiesIn({ mcpReq: { envelope } }: ServerContext): ClientCapabilities {
  return ((envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? {};
}

function supportsTasks(context: ServerContext): boolean {
  return capabilitiesIn(context).extensions?.[TASKS_EXTENSION] !== undefined;
}
