import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolNamed } from '@market/contract';
import { createToolCaller } from './call-tool.ts';

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** Calls a tool against a service that answers with this status, body and headers. */
async function callWith(name: string, args: Record<string, unknown>, status: number, body: object, headers: Record<string, string> = {}) {
  const tool = toolNamed(name);
  assert.ok(tool);
  const fetch = async () => Response.json(body, { status, headers });
  return await createToolCaller({ baseUrl: 'http://127.0.0.1:9', fetch }).call({ tool, args, meta: {} });
}

test('a tool result carries the receipt of a refused payment in _meta, beside the challenge and beside any other error', async () => {
  const receipt = { success: false, errorReason: 'insufficient_funds' };
  const challenge = { x402Version: 2, accepts: [] };
  const args = { service_id: 'svc_1', brief: 'A short one.' };
  const refusal = { success: false, error: 'Pay more.', code: 'payment_required' };
  const sent = { 'payment-response': encode(receipt) };
  const asked = await callWith('market_submit_payment', args, 402, refusal, { ...sent, 'payment-required': encode(challenge) });
  assert.deepEqual([asked.structuredContent, asked._meta?.['x402/payment-response']], [challenge, receipt]);
  const failed = await callWith('market_submit_payment', args, 409, { ...refusal, code: 'payment_already_used' }, sent);
  assert.deepEqual([failed.structuredContent['status'], failed._meta?.['x402/payment-response']], [409, receipt]);
});

test('next_actions of a refusal stand beside its data, not inside', async () => {
  const next = { operation: 'orders.cancel', path: 'PATCH /api/orders/ord_1', command: 'market orders cancel', meaning: 'Cancel it.' };
  const body = { success: false, error: 'Not now.', code: 'illegal_transition', data: { status: 'paid', next_actions: [next] } };
  const { structuredContent } = await callWith('market_approve_order', { order_id: 'ord_1' }, 409, body);
  assert.deepEqual([structuredContent['data'], structuredContent['next_actions']], [{ status: 'paid' }, [next]]);
});
