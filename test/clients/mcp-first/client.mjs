// The MCP client of the first generation, which most hosts still ship: it validates every result against the tool's output schema.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

async function open(transport) {
  const client = new Client({ name: 'first-generation', version: '1.25.3' });
  await client.connect(transport);
  return client;
}

export function openRemote(url, key) {
  return open(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
}

export function openStdio(command, args, env) {
  return open(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
}
