import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signWebhook, verifyWebhook, type WebhookError, type WebhookProblem } from './index.ts';

const secret = 'whsec_0123456789abcdef';
const body = '{"event":"order.paid","order_id":"ord_1700000000000_k3v9x1q7a","data":{"status":"paid","service_title":"Größe 日本"}}';
const now = () => Math.floor(Date.now() / 1000);
/** The signature digest by an independent implementation. */
const digest = (seconds: number, text = body, key = secret) => createHmac('sha256', key).update(`${seconds}.${text}`).digest('hex');

async function problemOf(call: Promise<unknown>): Promise<WebhookProblem> {
  return await call.then(
    () => assert.fail('it should have been refused'),
    (error: WebhookError) => {
      assert.equal(error.name, 'WebhookError');
      return error.reason;
    },
  );
}

test('a webhook call signed as specified is accepted, as text or bytes, with a typed event', async () => {
  const seconds = now();
  const header = `t=${seconds},v1=${digest(seconds)}`;
  assert.equal(await signWebhook(body, secret, seconds), header);
  for (const rawBody of [body, new TextEncoder().encode(body)]) {
    const event = await verifyWebhook(rawBody, header, secret);
    assert.equal(event.event, 'order.paid');
    if (event.event === 'order.paid') {
      const title: string = event.data.service_title;
      assert.equal(title, 'Größe 日本');
    }
  }
});

test('one valid webhook signature of several is enough, in any order and beside other versions', async () => {
  const seconds = now();
  const [right, wrong] = [`v1=${digest(seconds)}`, `v1=${digest(seconds, body, 'whsec_old')}`];
  for (const header of [`t=${seconds},${wrong},${right}`, `t=${seconds},${right},${wrong}`, `v2=x, ${right} ,t=${seconds}`])
    assert.equal((await verifyWebhook(body, header, secret)).event, 'order.paid');
  assert.equal(await problemOf(verifyWebhook(body, `t=${seconds},${wrong},${wrong}`, secret)), 'wrong_signature');
});

test('W10: a webhook call with a changed body, time or secret is refused', async () => {
  const seconds = now();
  const header = `t=${seconds},v1=${digest(seconds)}`;
  assert.equal(await problemOf(verifyWebhook(`${body} `, header, secret)), 'wrong_signature');
  assert.equal(await problemOf(verifyWebhook(body, header, `${secret}0`)), 'wrong_signature');
  assert.equal(await problemOf(verifyWebhook(body, `t=${seconds - 1},v1=${digest(seconds)}`, secret)), 'wrong_signature');
  await assert.rejects(verifyWebhook(body, header, ''), TypeError);
});

test('W10: a webhook time is accepted up to five minutes off, or up to the given tolerance', async () => {
  for (const [offset, tolerance, expected] of [
    [-295, undefined, 'taken'],
    [-310, undefined, 'too_old'],
    [295, undefined, 'taken'],
    [310, undefined, 'from_the_future'],
    [-310, 600, 'taken'],
    [-20, 10, 'too_old'],
  ] as const) {
    const header = await signWebhook(body, secret, now() + offset);
    const outcome = await verifyWebhook(body, header, secret, tolerance).then(
      () => 'taken',
      (error: WebhookError) => error.reason,
    );
    assert.equal(outcome, expected, `${offset} s with ${tolerance}`);
  }
});

test('a malformed webhook signature header and a wrong signature have different errors', async () => {
  const seconds = now();
  const right = digest(seconds);
  for (const header of [undefined, null, '']) assert.equal(await problemOf(verifyWebhook(body, header, secret)), 'missing_signature');
  for (const header of [
    'x',
    `t=${seconds}`,
    `v1=${right}`,
    `t=,v1=${right}`,
    `t=1e9,v1=${right}`,
    `t=-5,v1=${right}`,
    `t=${seconds},v1=${right.slice(1)}`,
    `t=${seconds},v1=${right.toUpperCase().replaceAll(/\d/g, 'G')}`,
    `t=${seconds},t=${seconds},v1=${right}`,
    `t=${seconds}${`,v1=${right}`.repeat(11)}`,
    `${seconds},${right}`,
  ])
    assert.equal(await problemOf(verifyWebhook(body, header, secret)), 'malformed_signature', header);
});

test('a signed webhook body that is no event is refused with its reason, and unknown fields of events are kept', async () => {
  const verify = async (text: string | Uint8Array) => {
    const seconds = now();
    const v1 = createHmac('sha256', secret).update(`${seconds}.`).update(text).digest('hex');
    return await verifyWebhook(text, `t=${seconds},v1=${v1}`, secret);
  };
  for (const text of [
    '',
    'null',
    '[]',
    '{}',
    '{"event":"order.paid","data":[]}',
    '{"event":"order.paid","order_id":"x","data":{"status":7}}',
  ])
    assert.equal(await problemOf(verify(text)), 'malformed_body', text);
  assert.equal(await problemOf(verify(new Uint8Array([0xff, 0xfe]))), 'malformed_body');
  for (const event of ['order.exploded', 'toString'])
    assert.equal(await problemOf(verify(`{"event":"${event}","data":{}}`)), 'unknown_event');
  const more = await verify('{"event":"order.disputed","order_id":"ord_1","data":{"reason":"Late.","extra":1}}');
  assert.deepEqual(more, { event: 'order.disputed', order_id: 'ord_1', data: { reason: 'Late.', extra: 1 } });
  assert.equal((await verify('{"event":"ping","order_id":"","data":{"test":true}}')).event, 'ping');
});
