/** Messages to the anonymous MCP endpoint, and the answers of its tools. */
import assert from 'node:assert/strict';
import { type CallOptions, call, type Envelope, type Reply } from './http.ts';

export async function postRpc(url: string, message: object, options: CallOptions = {}): Promise<Reply> {
  return await call(url, 'POST /api/x402/mcp', { body: { jsonrpc: '2.0', ...message }, ...options });
}

export async function callAnonymousTool(url: string, name: string, args: unknown): Promise<Envelope> {
  const { status, body } = await postRpc(url, { id: 7, method: 'tools/call', params: { name, arguments: args } });
  assert.deepEqual([status, body['id'], body['error']], [200, 7, undefined], JSON.stringify(body));
  return body['result'];
}

/** The tool's answer, without the marks around strangers' text. */
// biome-ignore lint/suspicious/noExplicitAny: tools answer in many shapes
export function toolText(result: Envelope): any {
  return JSON.parse(result['content'][0].text.replace(/[⟦⟧]/g, ''));
}
