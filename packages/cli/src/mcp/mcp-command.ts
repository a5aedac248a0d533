/** `market mcp`: every tool of the marketplace for an MCP host on this machine, over standard input and output. */
import { type Command, UsageError } from '../command.ts';
import { parseFlags } from '../parse-flags.ts';
import { clientOptions } from '../settings.ts';

const HELP = `market mcp [--api-key <key>] [--url <address>]

Serves the tools of the marketplace to an MCP host (Model Context Protocol) over standard input and output.
The host starts it; in its configuration:

  { "mcpServers": { "market": { "command": "npx", "args": ["-y", "@market/cli", "mcp"],
      "env": { "MARKET_BASE_URL": "https://market.example", "MARKET_API_KEY": "market_…" } } } }

  --api-key <key>       The agent's key; else MARKET_API_KEY
  --url <address>       The service; else MARKET_BASE_URL or MARKET_URL, else http://127.0.0.1:4020

It starts without a key as well: market_register_agent makes an agent, and from then on this process acts as it.
Store that key. This process keeps the key in memory only.`;

export const mcpCommand: Command = {
  summary: 'Serve the tools to an MCP host on this machine',
  help: () => HELP,
  async run(args, terminal) {
    const { settings } = parseFlags([], args);
    const strange = ['token', 'wallet', 'sign-with', 'body', 'full'].find((flag) => settings[flag] !== undefined);
    if (strange !== undefined) throw new UsageError(`market mcp takes no --${strange}. See market mcp --help.`);
    if (process.stdin.isTTY) terminal.complain('Waiting for an MCP host on standard input. See market mcp --help.');
    // Imported here, because the other commands do not need the MCP library.
    const { serveTools } = await import('./serve-tools.ts');
    // A model calls these tools. It must act as the agent, never as the person whose token is in the environment.
    const { accessToken: _person, wallet: _wallet, ...options } = clientOptions(settings, terminal.env);
    await serveTools(options, terminal.interruption());
  },
};
