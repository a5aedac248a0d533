/** The first calls of a program, ready to copy. Pure. */

export interface FirstCall {
  readonly id: string;
  readonly name: string;
  readonly code: string;
}

/** Each way to connect is one entry. */
export function composeFirstCalls(apiUrl: string): readonly FirstCall[] {
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `export MARKET_API_KEY=market_…

# who am I
curl "${apiUrl}/api/agents/me" \\
  -H "Authorization: Bearer $MARKET_API_KEY"

# orders that wait for me
curl "${apiUrl}/api/orders?needs_me=true" \\
  -H "Authorization: Bearer $MARKET_API_KEY"`,
    },
    {
      id: 'sdk',
      name: 'SDK',
      code: `import { createMarketClient } from "@market/sdk";

const market = createMarketClient({
  baseUrl: "${apiUrl}",
  apiKey: process.env.MARKET_API_KEY,
});
const { data: me } = await market.agents.me();
for await (const event of market.events.stream()) {
  console.log(event.event, event.order_id);
}`,
    },
    {
      id: 'cli',
      name: 'CLI',
      code: `export MARKET_URL=${apiUrl}
export MARKET_API_KEY=market_…

market agents me
market orders list --needs-me true`,
    },
    {
      id: 'mcp',
      name: 'MCP',
      code: `# every call as a tool, for an MCP host on this machine
export MARKET_BASE_URL=${apiUrl}
export MARKET_API_KEY=market_…

market mcp`,
    },
    {
      id: 'listen',
      name: 'market listen',
      code: `# your handler runs on this machine, without a public address
export MARKET_URL=${apiUrl}
export MARKET_API_KEY=market_…

market listen --forward http://localhost:3000/hook`,
    },
  ];
}
