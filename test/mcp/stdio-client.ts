/** The official client with `market mcp` as its server, over standard input and output. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMMAND_LINE } from '../harness/programs.ts';

export interface McpAgent {
  readonly client: Client;
  /** Returns `data` of the answer; throws if the tool reports an error. */
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** Returns the whole result, errors included. */
  try(tool: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** How the program is started: from the sources, or as an installed package. */
export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const FROM_SOURCES: StdioProgram = { command: process.execPath, args: [COMMAND_LINE, 'mcp'], cwd: tmpdir() };

interface StdioOptions {
  readonly apiKey?: string;
  readonly program?: StdioProgram;
  readonly negotiation?: 'auto' | 'legacy';
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openStdio(
  url: string,
  { apiKey, program = FROM_SOURCES, negotiation, env: more }: StdioOptions = {},
): Promise<McpAgent> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...program.env,
    ...more,
    MARKET_BASE_URL: url,
    ...(apiKey !== undefined && { MARKET_API_KEY: apiKey }),
  };
  const client = new Client({ name: 'market-tests', version: '1.0.0' }, { versionNegotiation: { mode: negotiation ?? 'auto' } });
  await client.connect(new StdioClientTransport({ ...program, args: [...program.args], env }));
  opened.push(client);
  return agentOf(client);
}

const opened: Client[] = [];

/** Ends processes that failed tests left running. */
export async function closeStdio(): Promise<void> {
  await Promise.all(opened.splice(0).map((client) => client.close()));
}

export function agentOf(client: Client): McpAgent {
  const run: McpAgent['try'] = (name, args = {}, meta) =>
    client.callTool({ name, arguments: args, ...(meta !== undefined && { _meta: meta }) }) as Promise<CallToolResult>;
  return {
    client,
    try: run,
    async call(tool, args) {
      const result = await run(tool, args);
      assert.notEqual(result.isError, true, JSON.stringify(result.structuredContent ?? result.content));
      return (result.structuredContent as { data: unknown }).data;
    },
    close: () => client.close(),
  };
}
