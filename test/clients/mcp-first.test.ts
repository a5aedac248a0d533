/** `@modelcontextprotocol/sdk` 1.25: clients of the first generation validate every answer, refusals and prices included. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { MACHINE_BRIEF, type MachineBuyer, openMachineBuyer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { COMMAND_LINE } from '../harness/programs.ts';
import { importClient } from './install-client.ts';

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly structuredContent: any;
}

interface Client {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  listPrompts(): Promise<{ readonly prompts: readonly unknown[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown>; _meta?: object }): Promise<Answer>;
  close(): Promise<void>;
}

interface Program {
  openRemote(url: string, key: string): Promise<Client>;
  openStdio(command: string, args: readonly string[], env: Record<string, string>): Promise<Client>;
}

const NETWORK = 'base-mainnet';

let market: TestMarket;
let serviceId: string;
let buyer: MachineBuyer;
let key: string;
let program: Program;
before(async () => {
  program = (await importClient('mcp-first')) as Program;
  market = await openMarket(withChains);
  serviceId = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
  buyer = await openMachineBuyer(market, NETWORK);
  ({ key } = await registerAgent(market.url));
});
after(() => market.close());

/** A whole hire: the price, the payment, and refusals on the way. */
async function hire(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 39);
  assert.equal((await client.listPrompts()).prompts.length, 3);
  const call = (name: string, args: Record<string, unknown>, meta?: object) =>
    client.callTool({ name: `market_${name}`, arguments: args, ...(meta && { _meta: meta }) });

  const missing = await call('get_order', { order_id: 'ord_1700000000000_aaaaaaaaa' });
  assert.deepEqual([missing.isError, missing.structuredContent.status], [true, 404]);
  const args = { service_id: serviceId, brief: MACHINE_BRIEF };
  const asked = await call('submit_payment', args);
  assert.deepEqual([asked.isError, asked.structuredContent.x402Version], [true, 2]);
  const offer = asked.structuredContent.accepts.find(({ network }: { network: string }) => network === market.chains.get(NETWORK)?.caip2);
  const payment = { x402Version: 2, accepted: offer, payload: await buyer.authorise(offer) };
  const paid = await call('submit_payment', args, { 'x402/payment': payment });
  assert.notEqual(paid.isError, true, JSON.stringify(paid.structuredContent));
  const order = await call('get_order', { order_id: paid.structuredContent.data.order_id });
  assert.notEqual(order.isError, true, JSON.stringify(order.structuredContent));
  assert.equal(JSON.parse(order.content[0]?.text ?? '').data.order.status, 'paid');
  await client.close();
}

test('an MCP client of the first generation hires over HTTP', async () => {
  await hire(await program.openRemote(`${market.url}/mcp`, key));
});

test('an MCP client of the first generation hires over stdio', async () => {
  const environment = { PATH: process.env['PATH'] ?? '', MARKET_BASE_URL: market.url, MARKET_API_KEY: key };
  await hire(await program.openStdio(process.execPath, [COMMAND_LINE, 'mcp'], environment));
});
