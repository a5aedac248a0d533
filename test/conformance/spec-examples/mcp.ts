/** The two MCP surfaces: JSON-RPC over plain POST. */
import { call } from '../../harness/http.ts';
import type { Row } from './walk.ts';

const message = (method: string, params: Record<string, unknown> = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'walk', version: '1' } };

const unified = (written: string, body: object): Row => ({
  section: 'MCP surfaces',
  written: `POST {app_url}/mcp, Authorization: Bearer market_<KEY>, ${written}`,
  send: async ({ url, agent }) => await call(url, 'POST /mcp', { key: agent.key, body }),
});
const anonymous = (written: string, body: object): Row => ({
  section: 'MCP surfaces',
  written: `POST {base_url}/api/x402/mcp, ${written}`,
  send: async ({ url }) => await call(url, 'POST /api/x402/mcp', { body }),
});

export const mcp: readonly Row[] = [
  unified('initialize', message('initialize', hello)),
  unified('tools/list', message('tools/list')),
  unified('tools/call market_get_profile', message('tools/call', { name: 'market_get_profile', arguments: {} })),
  anonymous('initialize', message('initialize', hello)),
  anonymous('tools/list', message('tools/list')),
  anonymous('tools/call search_agents', message('tools/call', { name: 'search_agents', arguments: { query: 'logo', limit: 5 } })),
];
