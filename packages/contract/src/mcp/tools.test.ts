import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { MARKED_TEXT_NOTE } from '../kernel/untrusted-text.ts';
import { MarketError } from '../market-error.ts';
import { exampleAnswer } from '../openapi/examples.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { Tool } from './tool.ts';
import { toolList, toolNamed } from './tool-list.ts';
import { challengeResult, errorResult } from './tool-result.ts';

/** The specification's tools by group, copied independently of the code. */
const specified = [
  'register_agent get_profile update_profile verify_twitter manage_portfolio',
  'list_services create_service update_service delete_service',
  'poll_orders get_order quote_order deliver_order approve_order cancel_order request_revision dispute_order send_message get_messages',
  'list_bounties get_bounty claim_bounty withdraw_claim',
  'get_token register_token launch_token',
  'earn_markets earn_positions earn_deposit earn_withdraw',
  'search_agents get_payment_requirements submit_payment',
  'browse_agents featured_agents platform_stats activity_feed get_market_data list_models',
].flatMap((group) => group.split(' '));

/** Arguments that clients of the earlier service send, by tool; `*` marks required ones. */
const earlierArguments: Readonly<Record<string, string>> = {
  register_agent: 'name* description* avatar_url endpoint_url capabilities ai_models owner_wallet wallet_sig wallet_sig_ts',
  update_profile: 'name description avatar_url endpoint_url payout_wallet capabilities ai_models',
  verify_twitter: 'tweet_url*',
  manage_portfolio: 'agent_id* action* source_type* source_id*',
  list_services: 'agent_id*',
  create_service: 'agent_id* category* title* description* price_usd* price_type turnaround_hours deliverables demo_url',
  update_service:
    'service_id* category title description price_usd price_type demo_url turnaround_hours quota_limit max_revisions deliverables',
  delete_service: 'service_id*',
  poll_orders: 'agent_id* status',
  get_order: 'order_id*',
  deliver_order: 'order_id* deliverable_url deliverable_media_type deliverables',
  quote_order: 'order_id* price_usd*',
  approve_order: 'order_id*',
  cancel_order: 'order_id*',
  request_revision: 'order_id* feedback*',
  dispute_order: 'order_id* reason',
  send_message: 'order_id* content*',
  get_messages: 'order_id*',
  list_bounties: 'status category min_budget max_budget sort',
  get_bounty: 'bounty_id*',
  claim_bounty: 'bounty_id* message',
  withdraw_claim: 'bounty_id*',
  get_token: 'agent_id*',
  register_token:
    'agent_id* token_mint* token_name* token_symbol* token_mode* token_creator_wallet* token_image_url token_tx_hash wallet wallet_sig wallet_sig_ts',
  launch_token: 'agent_id* symbol*',
  browse_agents: 'search category model page limit',
  activity_feed: 'filter limit',
  get_market_data: 'mints*',
  search_agents: 'query category limit',
  get_payment_requirements: 'service_id* chain',
  submit_payment: 'service_id* brief tx_signature chain',
  earn_deposit: 'amount_usd* incoming_tx_hash* key venue market slippage_bps',
  earn_withdraw: 'shares all key venue market destination_wallet slippage_bps',
};

function tool(name: string): Tool {
  const found = toolNamed(`market_${name}`);
  assert.ok(found, name);
  return found;
}

function propertiesOf({ definition }: Tool): Readonly<Record<string, JsonSchema>> {
  return definition.inputSchema.properties ?? {};
}

test('the tool list has the 39 tools of the specification, in its order', () => {
  assert.equal(specified.length, 39);
  assert.deepEqual(
    toolList.map(({ name }) => name),
    specified.map((name) => `market_${name}`),
  );
});

test('tools take every argument of the earlier service, and require no more of them', () => {
  for (const [name, words] of Object.entries(earlierArguments)) {
    const expected = words.split(' ');
    const { inputSchema } = tool(name).definition;
    for (const word of expected) assert.ok(Object.hasOwn(propertiesOf(tool(name)), word.replace('*', '')), `${name} ${word}`);
    const required = expected.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1));
    assert.deepEqual([...(inputSchema.required ?? [])].sort(), required.sort(), name);
  }
});

test('input schemas of tools are closed, describe every argument, and take no credentials but wallet proofs', () => {
  for (const one of toolList) {
    assert.equal(one.definition.inputSchema.additionalProperties, false, one.name);
    for (const [argument, { description }] of Object.entries(propertiesOf(one))) {
      assert.ok(description !== undefined && description.length > 5, `${one.name} ${argument}`);
    }
    assert.equal(Object.hasOwn(propertiesOf(one), 'idempotency_key'), one.operation.spec.effects.kind !== 'read', one.name);
    for (const hidden of ['idp_access_token', 'x_payment', 'payment_signature', 'x402Version']) {
      assert.equal(Object.hasOwn(propertiesOf(one), hidden), false, `${one.name} ${hidden}`);
    }
  }
  const withProof = toolList.filter((one) => Object.hasOwn(propertiesOf(one), 'wallet_sig')).map(({ name }) => name);
  assert.deepEqual(withProof, ['market_register_agent', 'market_update_profile', 'market_register_token', 'market_earn_withdraw']);
});

test('the examples of every tool fit its output schema', () => {
  for (const one of toolList) {
    const { outputSchema } = one.definition;
    assert.equal(outputSchema.type, 'object');
    const schema = z.fromJSONSchema(outputSchema as Parameters<typeof z.fromJSONSchema>[0]);
    for (const example of one.operation.spec.examples) {
      const { structuredContent, content } = one.toResult({ ...exampleAnswer(one.operation.spec, example), data: example.data });
      const read = schema.safeParse(JSON.parse(JSON.stringify(structuredContent)));
      assert.ok(read.success, `${one.name}: ${read.error?.message}`);
      const [first] = content;
      assert.ok(first?.type === 'text');
      const { read_this_first: _note, ...plain } = JSON.parse(first.text.replace(/[⟦⟧]/g, ''));
      assert.deepEqual(plain, JSON.parse(JSON.stringify(structuredContent)));
    }
  }
});

test('tool hints follow from the effects and access of the operation', () => {
  const hints = (name: string) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool(name).definition.annotations;
    return [readOnlyHint && 'R', destructiveHint && 'D', idempotentHint && 'I', openWorldHint && 'O'].filter(Boolean).join('');
  };
  assert.deepEqual(
    ['register_agent', 'get_profile', 'update_profile', 'list_services', 'delete_service', 'cancel_order', 'withdraw_claim'].map(hints),
    ['O', 'RI', 'I', 'RIO', 'DI', 'DO', 'DI'],
  );
  assert.equal(toolList.filter(({ definition }) => definition.annotations.readOnlyHint).length, 18);
});

test('a tool takes null as a left out argument, unless null has a meaning for the field', () => {
  assert.deepEqual(tool('cancel_order').toArguments({ order_id: 'ord_1', reason: null, idempotency_key: null }), { args: { id: 'ord_1' } });
  assert.deepEqual(tool('update_profile').toArguments({ endpoint_url: null, name: null, wallet_sig: null }).args, { endpoint_url: null });
  assert.throws(() => tool('get_order').toArguments({ order_id: 'ord_1', nothing: null }), /Unknown argument: nothing/);
});

test('a tool takes requirements as a list of labels and answers, or as an object', () => {
  const { requirements } = propertiesOf(tool('submit_payment'));
  assert.deepEqual([requirements?.type, requirements?.items?.required], ['array', ['label', 'answer']]);
  const read = (given: unknown) => tool('submit_payment').toArguments({ requirements: given }).args['requirements'];
  const object = { Colour: 'green', Pages: 3 };
  const list = Object.entries(object).map(([label, answer]) => ({ label, answer }));
  assert.deepEqual([read(list), read(object)], [object, object]);
  // The tool passes anything else on; the operation refuses it.
  const twice = [...list, ...list];
  assert.deepEqual([read(twice), read(['green'])], [twice, ['green']]);
});

test('tool arguments become operation arguments, without the idempotency key and the wallet proof', () => {
  assert.deepEqual(tool('get_order').toArguments({ order_id: 'ord_1' }), { args: { id: 'ord_1' } });
  assert.deepEqual(tool('approve_order').toArguments({ order_id: 'ord_1', idempotency_key: 'k' }), {
    args: { id: 'ord_1' },
    idempotencyKey: 'k',
  });
  assert.deepEqual(tool('submit_payment').toArguments({ service_id: 's', tx_signature: '0x1' }).args, {
    service_id: 's',
    x_payment: '0x1',
  });
  const signed = tool('register_agent').toArguments({ name: 'A', owner_wallet: 'w', wallet_sig: 's', wallet_sig_ts: 5 });
  assert.deepEqual(signed, { args: { name: 'A', owner_wallet: 'w' }, signature: { wallet: 'w', wallet_sig: 's', wallet_sig_ts: 5 } });
  assert.equal(tool('register_agent').toArguments({ name: 'A', wallet: 'w' }).signature, undefined);
});

test('the activity_feed tool ignores its filter argument, says so, and passes on the others', () => {
  const { definition, toArguments } = tool('activity_feed');
  const { filter } = definition.inputSchema.properties ?? {};
  assert.deepEqual(filter?.enum, ['all', 'registration', 'order', 'service', 'review', 'token_launch']);
  assert.equal(filter?.description, 'Accepted and ignored');
  for (const given of ['order', 'all', 'nothing', 5, null]) {
    assert.deepEqual(toArguments({ filter: given, limit: 5 }), { args: { limit: 5 } });
  }
});

test('unknown tool arguments are refused with the names that the tool takes', () => {
  const refused = (name: string, args: Record<string, unknown>) => {
    try {
      tool(name).toArguments(args);
    } catch (error) {
      assert.ok(error instanceof MarketError);
      return error;
    }
    return assert.fail('must be refused');
  };
  assert.match(refused('get_order', { id: 'ord_1' }).message, /^Unknown argument: id\. This tool takes order_id\.$/);
  assert.match(refused('get_profile', { x: 1 }).message, /takes no arguments/);
  assert.match(refused('approve_order', { id: 'ord_1' }).message, /This tool takes order_id, allow_portfolio, idempotency_key\.$/);
  for (const { definition, name } of toolList) {
    const takes = Object.keys(definition.inputSchema.properties ?? {}).join(', ');
    const { message } = refused(name.replace('market_', ''), { surely_unknown: 1 });
    assert.ok(message.endsWith(takes === '' ? 'takes no arguments.' : `takes ${takes}.`), message);
  }
  assert.equal(refused('get_order', { order_id: 'o', idempotency_key: 'k' }).code, 'invalid_input');
  assert.equal(refused('approve_order', { order_id: 'o', idempotency_key: 1 }).code, 'invalid_idempotency_key');
  assert.equal(refused('approve_order', { order_id: 'o', idp_access_token: 't' }).code, 'invalid_input');
  assert.match(refused('search_agents', { query: { a: 1 } }).message, /^query must be a text/);
  assert.match(refused('update_profile', { wallet: { a: 1 } }).message, /^wallet must be a text/);
});

test('V20: a tool result names untrusted fields by pointers, and marks their text for the model', () => {
  const [first] = tool('get_messages').operation.spec.examples;
  assert.ok(first);
  const { _meta, content } = tool('get_messages').toResult({ data: first.data, total: 1 });
  assert.deepEqual(_meta, { 'market/untrusted': ['/data/*/sender_name', '/data/*/content'] });
  const [text] = content;
  assert.ok(text?.type === 'text');
  assert.ok(text.text.startsWith(`{\n  "read_this_first": ${JSON.stringify(MARKED_TEXT_NOTE)},`), text.text);
  assert.match(text.text, /"content": "⟦[^⟦⟧]+⟧"/);
  for (const name of ['get_order', 'list_services', 'get_bounty', 'browse_agents', 'activity_feed', 'search_agents', 'list_models']) {
    assert.ok(tool(name).toResult({ data: [] })._meta, name);
  }
});

test('a tool result carries a delivered file as a resource link beside the record', () => {
  const { content } = tool('get_order').toResult({
    data: { order: { deliverable_url: null }, deliverables: [{ deliverable_url: 'https://a.example/1.png' }, { deliverable_url: '/x' }] },
  });
  assert.deepEqual(
    content.slice(1).map((part) => part.type === 'resource_link' && part.uri),
    ['https://a.example/1.png'],
  );
});

test('a refused tool call carries code, status, data and next actions', () => {
  const { isError, structuredContent, content } = errorResult({ code: 'agent_not_found', status: 404, message: 'No.', data: { a: 1 } });
  assert.equal(isError, true);
  assert.deepEqual(
    { ...structuredContent, next_actions: undefined },
    {
      error: 'No.',
      code: 'agent_not_found',
      status: 404,
      data: { a: 1 },
      next_actions: undefined,
    },
  );
  assert.equal((structuredContent['next_actions'] as unknown[]).length, 1);
  assert.ok(content[0]?.type === 'text' && content[0].text.includes('agent_not_found'));
  const limited = errorResult({ code: 'too_many_requests', status: 429, message: 'Slow.', retryAfterSeconds: 7 });
  assert.match(JSON.stringify(limited.structuredContent), /Repeat the same call with the same arguments after 7 seconds\./);
  // Advice never names idempotency_key: read tools take none, and over stdio the client makes it.
  for (const status of [400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503]) {
    const { structuredContent: advised } = errorResult({ code: 'any', status, message: 'No.' });
    assert.doesNotMatch(JSON.stringify(advised), /idempotency_key/, `${status}`);
  }
});

test('a payment challenge is the structured content of the tool result itself', () => {
  const challenge = { x402Version: 2, resource: { url: 'https://a.example', description: 'A logo' }, accepts: [{ scheme: 'exact' }] };
  const { content, ...rest } = challengeResult(challenge);
  assert.deepEqual(rest, { structuredContent: challenge, isError: true, _meta: { 'market/untrusted': ['/resource/description'] } });
  const [first, ...others] = content;
  assert.ok(first?.type === 'text' && others.length === 0);
  const { read_this_first: note, ...marked } = JSON.parse(first.text);
  assert.equal(note, MARKED_TEXT_NOTE);
  assert.deepEqual(marked, { ...challenge, resource: { ...challenge.resource, description: '⟦A logo⟧' } });
});
