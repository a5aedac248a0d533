/** The official MCP client against a market, in either era of the protocol, and hand-written messages. */
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { call } from './http.ts';

export const NEWEST = '2026-07-28';

/** The resource of orders that wait for the caller's agent. */
export const QUEUE = 'market://orders/to-work-on';

export type Era = 'legacy' | 'modern';

/** `modern` speaks only 2026-07-28; `legacy` begins with `initialize`. */
export async function connectMcp(url: string, key: string, era: Era = 'modern'): Promise<Client> {
  const mode = era === 'modern' ? { pin: NEWEST } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
export type ToolReply = CallToolResult & { readonly structuredContent: Record<string, any> };

export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}, meta?: object): Promise<ToolReply> {
  return (await client.callTool({ name: `market_${name}`, arguments: args, ...(meta && { _meta: { ...meta } }) })) as ToolReply;
}

/** The text of a result in the form of its structured content: without the note before it and the marks around strangers' text. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
export function unmarked(text: string): any {
  const { read_this_first: _note, ...plain } = JSON.parse(text.replace(/[⟦⟧]/g, ''));
  return plain;
}

/** Requires a success and returns its `data`. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
export async function useTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<any> {
  const { isError, structuredContent } = await callTool(client, name, args);
  assert.notEqual(isError, true, `${name}: ${JSON.stringify(structuredContent)}`);
  return structuredContent['data'];
}

/** A request of 2026-07-28, in which each message names the client and its capabilities. */
export function envelope(method: string, params: Record<string, unknown> = {}, capabilities: object = {}): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(params['_meta'] as object | undefined),
  };
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly json: any;
}

/** Posts one message, or any other body, unchanged. */
export async function postMcp(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Posted> {
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answered = await response.text();
  return { status: response.status, headers: response.headers, text: answered, json: jsonOf(answered) };
}

export interface Listening {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything sent so far. */
  received(): string;
  /** Everything sent, once the stream has ended. */
  readonly ended: Promise<string>;
  close(): void;
}

/** Opens `subscriptions/listen` of 2026-07-28 with this filter, on a new connection; the default filter keeps it open. */
export async function openListen(url: string, key: string, filter: object = { resourceSubscriptions: [QUEUE] }): Promise<Listening> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': NEWEST,
    'mcp-method': 'subscriptions/listen',
  };
  const sent = request(new URL('/mcp', url), { method: 'POST', headers, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
    sent.end(JSON.stringify(envelope('subscriptions/listen', { notifications: filter })));
  });
  sent.on('error', () => undefined);
  let received = '';
  response.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  const ended = text(response).catch(() => '');
  return { status: response.statusCode ?? 0, headers: response.headers, received: () => received, ended, close: () => sent.destroy() };
}

/** Lists the tools of a process through this address, which differs from its own. */
export async function listToolsAt(url: string, host: string, token: string): Promise<number> {
  const headers = {
    host,
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-method': 'tools/list',
    'mcp-protocol-version': NEWEST,
  };
  return (await call(url, 'POST /mcp', { headers, body: envelope('tools/list') })).status;
}

/** The message of a plain answer, or the last one of a short stream. */
function jsonOf(text: string): unknown {
  const line =
    text.startsWith('{') || text.startsWith('[')
      ? text
      : text
          .split('\n')
          .findLast((one) => one.startsWith('data: '))
          ?.slice(6);
  try {
    return line === undefined || line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
