import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderTokenFetch } from './order-token-fetch.ts';

const refusal = (code: string): Response => Response.json({ success: false, code, error: code }, { status: 401 });
const withToken = { headers: { Authorization: 'Bearer order_ended' } };

function answering(...answers: readonly Response[]): { readonly sent: (string | null)[]; readonly send: typeof fetch } {
  const sent: (string | null)[] = [];
  const left = [...answers];
  const send: typeof fetch = async (_input, init) => {
    sent.push(new Headers(init?.headers).get('authorization'));
    return left.shift() ?? Response.error();
  };
  return { sent, send };
}

test('Y13: a request with an ended token is repeated without it, so that a session still counts', async () => {
  const { sent, send } = answering(refusal('invalid_order_token'), Response.json({ success: true }));
  assert.equal((await orderTokenFetch(send)('https://market.example/', withToken)).status, 200);
  assert.deepEqual(sent, ['Bearer order_ended', null]);
});

test('Y13: without a session the refusal of an order token is shown; other refused requests are not repeated', async () => {
  const ended = answering(refusal('invalid_order_token'), refusal('unauthenticated'));
  const shown = await orderTokenFetch(ended.send)('https://market.example/', withToken);
  assert.equal(((await shown.json()) as { code: string }).code, 'invalid_order_token');
  const other = answering(refusal('unauthenticated'));
  assert.equal((await orderTokenFetch(other.send)('https://market.example/', withToken)).status, 401);
  assert.equal(other.sent.length, 1);
});
