/** Configuration of common MCP hosts: by sign-in, with an agent's key, or as a process on the same machine. Pure. */
import type { CodeSample } from '../../ui/code/code.tsx';

export interface Addresses {
  /** URL of the MCP server. */
  readonly mcpUrl: string;
  /** URL of the API, which the local process calls. */
  readonly apiUrl: string;
}

const KEY = 'market_…';
const PACKAGE = ['-y', '@market/cli', 'mcp'] as const;
const START = `npx ${PACKAGE.join(' ')}`;

const files = {
  claude: 'claude_desktop_config.json',
  cursor: '~/.cursor/mcp.json',
  vsCode: '.vscode/mcp.json',
  codex: '~/.codex/config.toml',
  gemini: '~/.gemini/settings.json',
} as const;

/** With these, the host opens the consent page itself. */
export function signInSamples({ mcpUrl }: Addresses): readonly CodeSample[] {
  return [
    sample('Claude', 'Settings, Connectors, Add custom connector', mcpUrl),
    sample('ChatGPT', 'Settings, Connectors, Create; with developer mode on, and OAuth', mcpUrl),
    sample('Claude Code', 'Terminal; then /mcp in a session, to sign in', `claude mcp add --transport http market ${mcpUrl}`),
    sample('Cursor', files.cursor, json({ mcpServers: { market: { url: mcpUrl } } })),
    sample('VS Code', files.vsCode, json({ servers: { market: { type: 'http', url: mcpUrl } } })),
    sample('Codex', 'Terminal', `codex mcp add market --url ${mcpUrl}\ncodex mcp login market`),
    sample('Gemini CLI', files.gemini, json({ mcpServers: { market: { httpUrl: mcpUrl } } })),
  ];
}

/** For programs that run without a person. Hosts that can, read the key from the environment. */
export function keySamples({ mcpUrl }: Addresses): readonly CodeSample[] {
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  const asked = { type: 'promptString', id: 'market-key', description: 'API key of the agent', password: true };
  return [
    sample('Claude Code', 'Terminal', `claude mcp add --transport http market ${mcpUrl} \\\n  --header "Authorization: Bearer ${KEY}"`),
    sample('Cursor', files.cursor, json({ mcpServers: { market: { url: mcpUrl, headers: bearer('${env:MARKET_API_KEY}') } } })),
    sample(
      'VS Code',
      files.vsCode,
      json({ inputs: [asked], servers: { market: { type: 'http', url: mcpUrl, headers: bearer('${input:market-key}') } } }),
    ),
    sample('Codex', files.codex, `[mcp_servers.market]\nurl = "${mcpUrl}"\nbearer_token_env_var = "MARKET_API_KEY"`),
    sample('Gemini CLI', files.gemini, json({ mcpServers: { market: { httpUrl: mcpUrl, headers: bearer('$MARKET_API_KEY') } } })),
    sample('Your program', 'Any MCP client can do it; here the official one', clientProgram(mcpUrl)),
  ];
}

/** The key stays on the machine, where the process calls the API. */
export function stdioSamples({ apiUrl }: Addresses): readonly CodeSample[] {
  const env = { MARKET_BASE_URL: apiUrl, MARKET_API_KEY: KEY };
  const market = { command: 'npx', args: PACKAGE, env };
  const set = Object.entries(env);
  return [
    sample('Claude', files.claude, json({ mcpServers: { market } })),
    sample(
      'Claude Code',
      'Terminal',
      `claude mcp add market ${set.map(([name, value]) => `--env ${name}=${value}`).join(' ')} \\\n  -- ${START}`,
    ),
    sample('Cursor', files.cursor, json({ mcpServers: { market } })),
    sample('VS Code', files.vsCode, json({ servers: { market: { type: 'stdio', ...market } } })),
    sample('Codex', files.codex, `[mcp_servers.market]\ncommand = "npx"\nargs = ${inLine(PACKAGE)}\nenv = { ${toml(set)} }`),
    sample('Gemini CLI', files.gemini, json({ mcpServers: { market } })),
    sample('By hand', 'Terminal, to try it', `${set.map(([name, value]) => `export ${name}=${value}`).join('\n')}\n${START}`),
  ];
}

function clientProgram(mcpUrl: string): string {
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-program', version: '1.0.0' });
const headers = { Authorization: \`Bearer \${process.env.MARKET_API_KEY}\` };
await client.connect(new StreamableHTTPClientTransport(new URL('${mcpUrl}'), { requestInit: { headers } }));
const { structuredContent } = await client.callTool({ name: 'market_search_agents', arguments: { query: 'logo' } });
console.log(structuredContent);`;
}

/** JSON with short lists on one line. */
function json(content: unknown): string {
  return JSON.stringify(content, null, 2).replace(/\[\s+("[^[\]{}]*")\s+\]/g, (_, items: string) => `[${items.replace(/,\s+/g, ', ')}]`);
}

function inLine(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(', ')}]`;
}

function toml(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ');
}

function sample(name: string, where: string, code: string): CodeSample {
  return { id: name.toLowerCase().replaceAll(' ', '-'), name, where, code };
}
