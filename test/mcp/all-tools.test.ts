/**
 * All 39 tools with good and bad arguments, by the official client, over the remote endpoint and over stdio. Good calls match their
 * output schema; bad ones are refused with code, status and remedy, readable for clients of the first generation. Prints a table.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { toolList } from '@market/contract';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import { requireReadable } from '../harness/first-generation.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { connectMcp, unmarked } from '../harness/mcp.ts';
import { some } from '../harness/thoroughness.ts';
import { openPictures, type Pictures } from '../tokens/launches/stage.ts';
import type { McpStage } from './journeys.ts';
import { agentOf, type McpAgent, openStdio } from './stdio-client.ts';
import { type Arguments, openWorld, type ToolCase, toolCases, type World } from './tool-cases.ts';

const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv };
const addFormats = require('ajv-formats') as (ajv: Ajv) => void;

interface Row {
  readonly tool: string;
  readonly good: string;
  readonly refusals: number;
}

const transports: Readonly<Record<string, (url: string, key: string) => Promise<McpAgent>>> = {
  remote: async (url, key) => agentOf(await connectMcp(url, key)),
  stdio: (url, apiKey) => openStdio(url, { apiKey }),
};

test('the tool cases cover each of the 39 tools once, in their order', () => {
  assert.deepEqual(toolCases.map(({ tool }) => `market_${tool}`).sort(), toolList.map(({ name }) => name).sort());
});

for (const [transport, open] of some(Object.entries(transports), 1)) {
  describe(`all tools over ${transport}`, () => {
    let market: TestMarket;
    let pictures: Pictures;
    let world: World;
    let tools: ReadonlyMap<string, Tool>;
    const rows: Row[] = [];
    before(async () => {
      pictures = await openPictures();
      market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
      const stage: Pick<McpStage, 'market' | 'open'> = { market, open: (key) => open(market.url, key) };
      world = await openWorld(stage, `${pictures.url}/good.png`);
      const listed = await world.buyer.agent.client.listTools();
      tools = new Map(listed.tools.map((tool) => [tool.name, tool]));
    });
    after(async () => {
      await Promise.all([world.seller, world.buyer, world.launcher, world.newcomer].map(({ agent }) => agent.close()));
      await market.close();
      pictures.close();
      // biome-ignore lint/suspicious/noConsole: the table is what people look for in the output of this test
      console.log(tableOf(transport, rows));
    });

    for (const toolCase of toolCases) {
      const name = `market_${toolCase.tool}`;
      test(`${name} over ${transport} answers a good call as specified and refuses bad ones`, async () => {
        const tool = tools.get(name);
        assert.ok(tool, 'the tool is listed');
        const { agent } = world[toolCase.as];
        const refusals = await refuseBadCalls(agent, tool, toolCase);
        rows.push({ tool: name, good: await makeGoodCall(agent, tool, toolCase, world), refusals });
      });
    }

    test(`39 of 39 tools work over ${transport}`, () => {
      assert.equal(rows.length, 39);
    });
  });
}

async function makeGoodCall(agent: McpAgent, { name, outputSchema }: Tool, { good, refusedWith }: ToolCase, world: World): Promise<string> {
  const result = await agent.try(name, await good(world));
  const { isError, structuredContent } = result;
  requireReadable(name, result);
  if (refusedWith !== undefined) {
    assert.equal(isError, true);
    assert.equal((structuredContent as { code: string }).code, refusedWith);
    return `refused: ${refusedWith}`;
  }
  assert.notEqual(isError, true, JSON.stringify(structuredContent));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const isValid = ajv.compile((outputSchema ?? {}) as object);
  assert.ok(
    'data' in (structuredContent as object) && isValid(structuredContent),
    `${ajv.errorsText(isValid.errors)}: ${JSON.stringify(structuredContent).slice(0, 2000)}`,
  );
  assert.deepEqual(unmarked(textOf(result)), structuredContent, 'the text is the same JSON, with strangers’ text between marks');
  return 'as its schema says';
}

/** Calls with an unknown argument, without each required argument, and with arguments of another type. */
async function refuseBadCalls(agent: McpAgent, { name, inputSchema }: Tool, { tool }: ToolCase): Promise<number> {
  const required = inputSchema.required ?? [];
  const complete = Object.fromEntries(required.map((argument) => [argument, 'x']));
  const wrong = Object.keys(inputSchema.properties ?? {}).map((argument) => ({ ...complete, [argument]: { not: ['a', 'value'] } }));
  const missing = required.map((argument) => Object.fromEntries(Object.entries(complete).filter(([other]) => other !== argument)));
  const bad: readonly Arguments[] = [{ ...complete, surely_unknown: 1 }, ...missing, ...wrong];
  for (const args of bad) {
    const result = await agent.try(name, args);
    const { status, code, error, next_actions } = result.structuredContent as Record<string, unknown>;
    const shown = `${tool} ${JSON.stringify(args)}: ${JSON.stringify(result.structuredContent)}`;
    assert.equal(result.isError, true, shown);
    requireReadable(name, result);
    assert.ok(typeof status === 'number' && status >= 400 && status < 500, shown);
    assert.ok(typeof code === 'string' && typeof error === 'string' && error.length > 10, shown);
    assert.ok(Array.isArray(next_actions) && next_actions.length > 0, shown);
  }
  return bad.length;
}

function textOf({ content }: CallToolResult): string {
  const [first] = content;
  assert.ok(first?.type === 'text');
  return first.text;
}

function tableOf(transport: string, rows: readonly Row[]): string {
  const lines = rows.map(({ tool, good, refusals }) => `${tool.padEnd(34)} ${good.padEnd(24)} ${refusals} bad calls refused`);
  return [`Tools over ${transport}: ${rows.length}/39`, ...lines].join('\n');
}
