/** `@openai/agents-core`: every tool converts to a strict schema, and a call with null for omitted arguments succeeds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { importClient } from './install-client.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

interface Tools {
  readonly tools: readonly { readonly name: string; readonly strict: boolean; readonly parameters: Schema }[];
  /** The output for the model. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

interface Program {
  openTools(url: string, key: string): Promise<Tools>;
}

let market: TestMarket;
let opened: Tools;
let serviceId: string;
before(async () => {
  const program = (await importClient('openai-agents')) as Program;
  market = await openMarket(withChains);
  serviceId = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
  opened = await program.openTools(`${market.url}/mcp`, (await registerAgent(market.url)).key);
});
after(async () => {
  await opened?.close();
  await market?.close();
});

test('all 39 MCP tools convert to strict schemas of the OpenAI agents library', () => {
  assert.equal(opened.tools.length, 39);
  assert.deepEqual(
    opened.tools.filter(({ strict }) => !strict).map(({ name }) => name),
    [],
  );
});

test('every strict tool schema is closed and requires all its arguments', () => {
  for (const { name, parameters } of opened.tools) {
    assert.equal(parameters.additionalProperties, false, name);
    assert.deepEqual([...(parameters.required ?? [])].sort(), Object.keys(parameters.properties ?? {}).sort(), name);
  }
});

/** The arguments as a model in strict mode sends them: all are required, so omitted ones are null. */
function withNulls(name: string, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = opened.tools.find((one) => one.name === name)?.parameters.required ?? [];
  return { ...Object.fromEntries(names.map((argument) => [argument, null])), ...args };
}

test('a tool call that sends null for every other argument succeeds', async () => {
  const args = withNulls('market_search_agents', {});
  assert.ok(Object.keys(args).length > 1);
  assert.match(JSON.stringify(await opened.call('market_search_agents', args)), new RegExp(serviceId));
});

test('answers to requirement fields are a list of labels and answers', async () => {
  const requirements = [
    { label: 'Colour', answer: 'green' },
    { label: 'Pages', answer: 3 },
  ];
  const asked = await opened.call('market_submit_payment', withNulls('market_submit_payment', { service_id: serviceId, requirements }));
  assert.match(JSON.stringify(asked), /x402Version/);
});
