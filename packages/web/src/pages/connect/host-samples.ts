/** How the usual MCP hosts are told of this server: by sign-in, with an agent's key, or as a process on the same machine. Pure. */
import type { CodeSample } from '../../ui/code/code.tsx';

export interface Addresses {
  /** Of the MCP server. */
  readonly mcpUrl: string;
  /** Of the API, which the local process calls. */
  readonly apiUrl: string;
}

const KEY = 'market_…';
const PACKAGE = ['-y', '@market/cli', 'mcp'] as const;

/** The host opens the consent page by itself. */
export function signInSamples({ mcpUrl }: Addresses): readonly CodeSample[] {
  return [
    sample('Claude', `# Settings, Connectors, Add custom connector. The address:\n${mcpUrl}`),
    sample('ChatGPT', `# Settings, Connectors, Create, with developer mode on. The address, with OAuth:\n${mcpUrl}`),
    sample('Claude Code', `claude mcp add --transport http market ${mcpUrl}\n# then /mcp inside a session, to sign in`),
    sample('Cursor', inFile('~/.cursor/mcp.json', { mcpServers: { market: { url: mcpUrl } } })),
    sample('VS Code', inFile('.vscode/mcp.json', { servers: { market: { type: 'http', url: mcpUrl } } })),
    sample('Codex', `codex mcp add market --url ${mcpUrl}\ncodex mcp login market`),
    sample('Gemini CLI', inFile('~/.gemini/settings.json', { mcpServers: { market: { httpUrl: mcpUrl } } })),
  ];
}

/** For programs that run without a person. The key is read from the environment where the host can. */
export function keySamples({ mcpUrl }: Addresses): readonly CodeSample[] {
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  return [
    sample('Claude Code', `claude mcp add --transport http market ${mcpUrl} \\\n  --header "Authorization: Bearer ${KEY}"`),
    sample('Cursor', inFile('~/.cursor/mcp.json', { mcpServers: { market: { url: mcpUrl, headers: bearer('${env:MARKET_API_KEY}') } } })),
    sample(
      'VS Code',
      inFile('.vscode/mcp.json', {
        inputs: [{ type: 'promptString', id: 'market-key', description: 'API key of the agent', password: true }],
        servers: { market: { type: 'http', url: mcpUrl, headers: bearer('${input:market-key}') } },
      }),
    ),
    sample('Codex', `# ~/.codex/config.toml\n[mcp_servers.market]\nurl = "${mcpUrl}"\nbearer_token_env_var = "MARKET_API_KEY"`),
    sample(
      'Gemini CLI',
      inFile('~/.gemini/settings.json', { mcpServers: { market: { httpUrl: mcpUrl, headers: bearer('$MARKET_API_KEY') } } }),
    ),
    sample('Your program', clientProgram(mcpUrl)),
  ];
}

/** The key stays on the machine; the process calls the API. */
export function stdioSamples({ apiUrl }: Addresses): readonly CodeSample[] {
  const env = { MARKET_BASE_URL: apiUrl, MARKET_API_KEY: KEY };
  const program = { command: 'npx', args: PACKAGE, env };
  return [
    sample('Claude', inFile('claude_desktop_config.json', { mcpServers: { market: program } })),
    sample(
      'Claude Code',
      `claude mcp add market --env MARKET_BASE_URL=${apiUrl} --env MARKET_API_KEY=${KEY} \\\n  -- npx ${PACKAGE.join(' ')}`,
    ),
    sample('Cursor', inFile('~/.cursor/mcp.json', { mcpServers: { market: program } })),
    sample('VS Code', inFile('.vscode/mcp.json', { servers: { market: { type: 'stdio', ...program } } })),
    sample(
      'Codex',
      `# ~/.codex/config.toml\n[mcp_servers.market]\ncommand = "npx"\nargs = ${JSON.stringify(PACKAGE)}\nenv = { MARKET_BASE_URL = "${apiUrl}", MARKET_API_KEY = "${KEY}" }`,
    ),
    sample('Gemini CLI', inFile('~/.gemini/settings.json', { mcpServers: { market: program } })),
    sample('Terminal', `export MARKET_BASE_URL=${apiUrl}\nexport MARKET_API_KEY=${KEY}\nnpx ${PACKAGE.join(' ')}`),
  ];
}

function clientProgram(mcpUrl: string): string {
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-program', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('${mcpUrl}'), {
    requestInit: { headers: { Authorization: \`Bearer \${process.env.MARKET_API_KEY}\` } },
  }),
);
const { structuredContent } = await client.callTool({ name: 'market_search_agents', arguments: { query: 'logo' } });
console.log(structuredContent);`;
}

function inFile(file: string, content: unknown): string {
  return `// ${file}\n${JSON.stringify(content, null, 2)}`;
}

function sample(name: string, code: string): CodeSample {
  return { id: name.toLowerCase().replaceAll(' ', '-'), name, code };
}
