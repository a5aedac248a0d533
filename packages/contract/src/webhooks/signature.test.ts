import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isWebhookSigned, parseWebhookSignature, webhookSignature } from './signature.ts';

const sign = async (secret: string, seconds: number, body: string) => await webhookSignature([secret], seconds, body);

test('a webhook signature is the HMAC-SHA256 of time and body, keyed with the secret as given', async () => {
  const body = '{"event":"order.paid","note":"ü"}';
  const expected = createHmac('sha256', Buffer.from('whsec_abc', 'utf8'))
    .update(Buffer.from(`1700000000.${body}`, 'utf8'))
    .digest('hex');
  assert.equal(await sign('whsec_abc', 1_700_000_000, body), `t=1700000000,v1=${expected}`);
});

test('a webhook signature changes with time, body and secret', async () => {
  const all = await Promise.all([sign('a', 1, 'x'), sign('b', 1, 'x'), sign('a', 2, 'x'), sign('a', 1, 'y')]);
  assert.equal(new Set(all.map((signature) => signature.split('v1=')[1])).size, 4);
});

test('a webhook is signed with both secrets during a rotation, the new one first', async () => {
  const [now, before] = (await Promise.all([sign('new', 1, 'x'), sign('old', 1, 'x')])).map((signature) => signature.split(',')[1]);
  assert.equal(await webhookSignature(['new', 'old'], 1, 'x'), `t=1,${now},${before}`);
});

test('a parsed webhook signature verifies for its own body and secrets only', async () => {
  const signature = parseWebhookSignature(await webhookSignature(['new', 'old'], 1_700_000_000, '{"n":"ü"}'));
  assert.equal(signature?.seconds, 1_700_000_000);
  assert.ok(signature);
  const body = new TextEncoder().encode('{"n":"ü"}');
  assert.deepEqual(await Promise.all(['new', 'old', 'other'].map((secret) => isWebhookSigned(signature, body, secret))), [
    true,
    true,
    false,
  ]);
  assert.equal(await isWebhookSigned(signature, new TextEncoder().encode('{"n":"u"}'), 'new'), false);
  assert.equal(await isWebhookSigned({ ...signature, seconds: 1 }, body, 'new'), false);
});

test('an empty webhook secret is refused', async () => {
  await assert.rejects(sign('', 1, 'x'), TypeError);
});

test('malformed webhook signature headers are not parsed', () => {
  for (const header of ['', 't=1', 'v1=00', `t=1,t=2,v1=${'0'.repeat(64)}`, `t=x,v1=${'0'.repeat(64)}`, `t=1,v1=${'0'.repeat(63)}`])
    assert.equal(parseWebhookSignature(header), undefined, header);
});
