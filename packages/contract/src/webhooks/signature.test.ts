import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signWebhook } from './sign-webhook.ts';

test('the signature is the HMAC-SHA256 of the time and the body, keyed with the secret as it was given', () => {
  const body = '{"event":"order.paid","note":"ü"}';
  const expected = createHmac('sha256', Buffer.from('whsec_abc', 'utf8'))
    .update(Buffer.from(`1700000000.${body}`, 'utf8'))
    .digest('hex');
  assert.equal(signWebhook('whsec_abc', 1_700_000_000, body), `t=1700000000,v1=${expected}`);
});

test('another time, body or secret is another signature', () => {
  const all = [signWebhook('a', 1, 'x'), signWebhook('b', 1, 'x'), signWebhook('a', 2, 'x'), signWebhook('a', 1, 'y')];
  assert.equal(new Set(all.map((signature) => signature.split('v1=')[1])).size, 4);
});

test('while a secret is being replaced there is a signature with each, the new one first', () => {
  const [now, before] = [signWebhook('new', 1, 'x'), signWebhook('old', 1, 'x')].map((signature) => signature.split(',')[1]);
  assert.equal(signWebhook(['new', 'old'], 1, 'x'), `t=1,${now},${before}`);
});
