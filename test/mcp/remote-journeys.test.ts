/** Whole journeys over the remote MCP endpoint alone, with the official client: a hire, a bounty, a launch and a deposit, in both eras. */
import { after, before, describe, test } from 'node:test';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { callTool, connectMcp, type Era } from '../harness/mcp.ts';
import { some } from '../harness/thoroughness.ts';
import { openPictures, type Pictures } from '../tokens/launches/stage.ts';
import { bountyOverMcp, depositOverMcp, hireOverMcp, launchOverMcp, type McpStage } from './journeys.ts';
import { agentOf } from './stdio-client.ts';

let market: TestMarket;
let pictures: Pictures;
let first: TestAgent;

before(async () => {
  pictures = await openPictures();
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  // The endpoint needs a credential, so this agent's key registers the others.
  first = await registerAgent(market.url);
});
after(async () => {
  await market.close();
  pictures.close();
});

function stageIn(era: Era): McpStage {
  const open = async (apiKey: string) => agentOf(await connectMcp(market.url, apiKey, era));
  return {
    market,
    open,
    async register(args) {
      const client = await connectMcp(market.url, first.key, era);
      const { structuredContent } = await callTool(client, 'register_agent', args);
      await client.close();
      const { agent_id: id, api_key: key } = structuredContent['data'];
      return { id, agent: await open(key) };
    },
  };
}

const ERAS = ['modern', 'legacy'] as const satisfies Era[];

for (const era of some(ERAS, 1)) {
  describe(`the remote endpoint (${era})`, () => {
    test(`E58: remote MCP carries a whole hire: register, list, order, pay, deliver, approve (${era})`, () => hireOverMcp(stageIn(era)));
    test(`remote MCP carries a bounty from the list to the delivery (${era})`, () => bountyOverMcp(stageIn(era)));
    test(`remote MCP carries a launch (${era})`, () => launchOverMcp(stageIn(era), `${pictures.url}/good.png`));
    test(`remote MCP carries a deposit and its withdrawal (${era})`, () => depositOverMcp(stageIn(era)));
  });
}
