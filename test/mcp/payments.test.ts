/** Payments inside MCP: the challenge in a tool's result, the payment in `_meta` of the call, and an order as a task. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { registerAgent } from '../harness/agents.ts';
import { requireReadable } from '../harness/first-generation.ts';
import { type MachineBuyer, openMachineBuyer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { callTool, connectMcp, envelope, postMcp, unmarked, useTool } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { listService, openProvider, type Provider, requireSoundBooks } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';

const NETWORK = 'base-mainnet';
const BRIEF = 'A logo for a bakery, in three colours.';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

let market: TestMarket;
let provider: Provider;
let serviceId: string;
let buyer: MachineBuyer;
let key: string;
let client: Client;
before(async () => {
  market = await openMarket(withChains);
  provider = await openProvider(market.url);
  serviceId = await listService(market.url, provider, { price_usd: '1.00', title: 'Logo from a sentence' });
  buyer = await openMachineBuyer(market, NETWORK);
  ({ key } = await registerAgent(market.url));
  client = await connectMcp(market.url, key);
});
after(async () => {
  await client.close();
  await market.close();
});

async function signPayment(accepts: readonly { network: string }[]): Promise<Record<string, unknown>> {
  const offer = accepts.find(({ network }) => network === market.chains.get(NETWORK)?.caip2);
  assert.ok(offer);
  return { x402Version: 2, accepted: offer, payload: await buyer.authorise(offer as never) };
}

test('an MCP search finds a payable service by its words, with its price', async () => {
  const [found] = await useTool(client, 'search_agents', { query: 'logo sent', limit: 5 });
  assert.equal(found.service_id, serviceId);
  assert.deepEqual(await useTool(client, 'search_agents', { query: 'nothing-like-it' }), []);
  const { isError, structuredContent } = await callTool(client, 'get_payment_requirements', { service_id: serviceId, chain: 'base' });
  assert.notEqual(isError, true);
  const { data } = structuredContent;
  assert.deepEqual([data.http_status, data.x402Version, data.total_charged_usd], [402, 2, 1.1]);
  assert.deepEqual(Object.keys(data.payments), ['base']);
});

test('an MCP hire without a payment answers the x402 challenge; the payment in _meta hires, and a repeat is not charged', async () => {
  const args = { service_id: serviceId, brief: BRIEF };
  const asked = await callTool(client, 'submit_payment', args);
  assert.equal(asked.isError, true);
  assert.equal(asked.structuredContent['x402Version'], 2);
  const [first] = asked.content;
  assert.ok(first?.type === 'text');
  assert.deepEqual(unmarked(first.text), asked.structuredContent);
  requireReadable('market_submit_payment', asked);
  assert.match(asked.structuredContent['error'], /_meta\["x402\/payment"\]/);
  assert.doesNotMatch(asked.structuredContent['error'], /header|X-PAYMENT|PAYMENT-SIGNATURE/i);

  const payment = await signPayment(asked.structuredContent['accepts']);
  const pay = () => callTool(client, 'submit_payment', args, { 'x402/payment': payment });
  const paid = await pay();
  assert.notEqual(paid.isError, true, JSON.stringify(paid.structuredContent));
  const { order_id: orderId, status, status_url: statusUrl } = paid.structuredContent['data'];
  assert.equal(status, 'paid');
  assert.ok(statusUrl.endsWith(orderId));
  const receipt = paid._meta?.['x402/payment-response'] as { success: boolean; transaction: string };
  assert.equal(receipt.success, true);
  assert.equal((await pay()).structuredContent['data'].order_id, orderId);
  await requireSoundBooks(market);
});

test('an MCP payment that is too small is refused with a fresh challenge; a free tool accepts none', async () => {
  const asked = await callTool(client, 'submit_payment', { service_id: serviceId, brief: BRIEF });
  const payment = await signPayment(asked.structuredContent['accepts']);
  const cheap = { ...payment, accepted: { ...(payment['accepted'] as object), amount: '1' } };
  const refused = await callTool(client, 'submit_payment', { service_id: serviceId, brief: BRIEF }, { 'x402/payment': cheap });
  assert.equal(refused.isError, true);
  assert.ok(refused.structuredContent['accepts'] ?? refused.structuredContent['code'], JSON.stringify(refused.structuredContent));
  requireReadable('market_submit_payment', refused);
  const free = await callTool(client, 'get_profile', {}, { 'x402/payment': payment });
  assert.notEqual(free.isError, true);
  assert.equal(free._meta?.['x402/payment-response'], undefined);
});

test('refused MCP payments are explained by arguments and _meta, without naming headers', async () => {
  const args = { service_id: serviceId, brief: BRIEF };
  const payment = await signPayment((await callTool(client, 'submit_payment', args)).structuredContent['accepts']);
  const both = await callTool(client, 'submit_payment', { ...args, tx_signature: `0x${'ab'.repeat(32)}` }, { 'x402/payment': payment });
  const unread = await callTool(client, 'submit_payment', { ...args, tx_signature: 'no payment' });
  const briefless = await callTool(client, 'submit_payment', { service_id: serviceId }, { 'x402/payment': payment });
  const heard = [both, unread, briefless].map(({ structuredContent: { code, error } }) => [code, error]);
  assert.deepEqual(
    heard.map(([code]) => code),
    ['ambiguous_payment', 'invalid_payment_header', 'brief_required'],
  );
  for (const [, error] of heard) assert.doesNotMatch(error, /header|X-PAYMENT|PAYMENT-SIGNATURE|X-Market/i);
});

test('a registration over MCP is paid in the same way, and the wallet that pays owns the agent', async () => {
  const args = { name: 'Payling', description: 'Registered through a tool, by payment.', pay_to_register: true };
  const asked = await callTool(client, 'register_agent', args);
  assert.equal(asked.structuredContent['x402Version'], 2, JSON.stringify(asked.structuredContent));
  requireReadable('market_register_agent', asked);
  const payment = await signPayment(asked.structuredContent['accepts']);
  const made = await callTool(client, 'register_agent', args, { 'x402/payment': payment });
  assert.notEqual(made.isError, true, JSON.stringify(made.structuredContent));
  assert.ok(made.structuredContent['data'].api_key.startsWith('market_'));
});

test('a connected program that pays for a registration acts as that agent, and gets no key', async () => {
  const { accessToken } = await connectProgram(market.url, await tokenFor(market.url, { email: 'ines@example.com' }), {
    scope: 'read work',
  });
  const program = await connectMcp(market.url, accessToken);
  const args = { name: 'Adopted Payling', description: 'Registered by a program, by payment.', pay_to_register: true };
  const asked = await callTool(program, 'register_agent', args);
  const payment = await signPayment(asked.structuredContent['accepts']);
  const made = await callTool(program, 'register_agent', args, { 'x402/payment': payment });
  assert.notEqual(made.isError, true, JSON.stringify(made.structuredContent));
  assert.deepEqual([made.structuredContent['data'].api_key, made.structuredContent['data'].webhook_secret], [null, null]);
  const own = await callTool(program, 'get_profile');
  assert.equal(own.structuredContent['data'].id, made.structuredContent['data'].agent_id);
  await program.close();
});

test('an order is an MCP task: working, then completed with the order as its result; only its parties see it', async () => {
  const asked = await callTool(client, 'submit_payment', { service_id: serviceId, brief: BRIEF, settlement: 'on_approval' });
  const payment = await signPayment(asked.structuredContent['accepts']);
  const headers = { authorization: `Bearer ${key}` };
  const hire = await postMcp(
    market.url,
    envelope(
      'tools/call',
      {
        name: 'market_submit_payment',
        arguments: { service_id: serviceId, brief: BRIEF, settlement: 'on_approval' },
        _meta: { 'x402/payment': payment },
      },
      TASKS,
    ),
    { ...headers, ...namedHeaders('tools/call', 'market_submit_payment') },
  );
  const { taskId } = hire.json.result._meta['io.modelcontextprotocol/related-task'];
  const ask = async (method: string, more: Record<string, string> = headers, capabilities: object = TASKS) =>
    (await postMcp(market.url, envelope(method, { taskId }, capabilities), { ...more, ...namedHeaders(method, taskId) })).json;

  const { result: working } = await ask('tasks/get');
  assert.deepEqual([working.resultType, working.taskId, working.status, working.result], ['complete', taskId, 'working', undefined]);
  assert.match(working.createdAt, /^\d{4}-\d\d-\d\dT/);
  assert.equal((await ask('tasks/get', headers, {})).error.code, -32021);
  const stranger = { authorization: `Bearer ${(await registerAgent(market.url)).key}` };
  const unseen = (await ask('tasks/get', stranger)).error;
  assert.deepEqual([unseen.code, unseen.message], [-32602, 'There is no such task. A task is an order of yours, by its id.']);
  const { accessToken } = await connectProgram(market.url, await tokenFor(market.url, { email: 'ines@example.com' }), { scope: 'work' });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await ask(method, { authorization: `Bearer ${accessToken}` });
    assert.deepEqual([error.code, error.data.code, error.data.data.needed], [-32602, 'insufficient_scope', ['read']], method);
    assert.match(error.data['mcp/www_authenticate'][0], /^Bearer error="insufficient_scope"/);
  }

  const early = await callTool(client, 'approve_order', { order_id: taskId });
  assert.equal(early.structuredContent['code'], 'illegal_transition', JSON.stringify(early.structuredContent));
  assert.deepEqual(
    early.structuredContent['next_actions'].map(({ tool }: { tool: unknown }) => tool),
    [{ name: 'market_cancel_order', arguments: { order_id: taskId } }],
  );

  const seller = await connectMcp(market.url, provider.key, 'legacy');
  await useTool(seller, 'deliver_order', { order_id: taskId, content: 'Done.', deliverable_media_type: 'text' });
  await seller.close();
  await useTool(client, 'approve_order', { order_id: taskId });
  const { result: done } = await ask('tasks/get');
  assert.equal(done.status, 'completed');
  assert.equal(done.result.structuredContent.data.order.status, 'completed');
  assert.deepEqual((await ask('tasks/cancel')).result.resultType, 'complete');
  assert.equal((await ask('tasks/update')).result.resultType, 'complete');
  assert.equal((await ask('tasks/list')).error.code, -32601);
});

function namedHeaders(method: string, name: string): Record<string, string> {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
}
