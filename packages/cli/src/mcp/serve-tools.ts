import { readFileSync } from 'node:fs';
import { instructionsFor, promptList, toolList, toolNamed, unknownPrompt, unknownTool, withProgress, writePrompt } from '@market/contract';
import type { ClientOptions } from '@market/sdk';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolCaller, type ToolCaller } from './call-tool.ts';

/** The lists are the same for every caller until the program is updated. */
const SHARED_LIST = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const cacheHints = { 'tools/list': SHARED_LIST, 'prompts/list': SHARED_LIST, 'server/discover': SHARED_LIST };

const NO_KEY = 'Without a key, begin with market_register_agent: this process then acts as that agent.';

/** Serves until the host closes standard input or `signal` is aborted. */
export async function serveTools(options: ClientOptions, signal: AbortSignal): Promise<void> {
  const caller = createToolCaller(options);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const connection = serveStdio(() => createServer(caller));
  await ended;
  await connection.close();
}

function createServer(caller: ToolCaller): Server {
  const server = new Server(
    { name: 'market', version: readVersion() },
    { capabilities: { tools: {}, prompts: {} }, instructions: `${instructionsFor('This')}\n${NO_KEY}`, cacheHints },
  );
  // The definitions are ready to send; the SDK types them more narrowly than JSON Schema is.
  server.setRequestHandler('tools/list', () => ({ tools: toolList.map(({ definition }) => definition) as never }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolNamed(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name));
    const meta = mcpReq._meta ?? {};
    const run = () => caller.call({ tool, args: params.arguments ?? {}, meta, signal: mcpReq.signal });
    const channel = { token: meta.progressToken, notify: mcpReq.notify };
    const isSlow = tool.operation.spec.effects.kind === 'pay';
    return (isSlow ? await withProgress(channel, tool.definition.title, run) : await run()) as CallToolResult;
  });
  addPrompts(server);
  return server;
}

function addPrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: promptList }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const written = writePrompt(params.name, params.arguments ?? {});
    if (written === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownPrompt(params.name));
    if (typeof written === 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, written);
    return {
      description: written.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: written.text } }],
    };
  });
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
