/** For tests: a node that forwards calls to a real one and may change the answers. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { createJsonRpcClient, type JsonRpcClient } from '../src/platform/chains/json-rpc.ts';

/** The answer of a node: `result`, or `error` instead. */
export interface NodeAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Bend = (method: string, params: readonly unknown[], ask: () => Promise<NodeAnswer>) => NodeAnswer | Promise<NodeAnswer>;

export async function startBentNode(url: string, bend: Bend, { tries = 1 } = {}): Promise<JsonRpcClient> {
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const { id, method, params } = JSON.parse(body);
    const ask = async (): Promise<NodeAnswer> => {
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return (await answer.json()) as NodeAnswer;
    };
    response.end(JSON.stringify({ jsonrpc: '2.0', ...(await bend(method, params, ask)), id }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return createJsonRpcClient({ network: 'base-mainnet', urls: [`http://127.0.0.1:${port}`], tries });
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
