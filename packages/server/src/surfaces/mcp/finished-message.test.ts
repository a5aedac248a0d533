import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { finishMessage } from './finished-message.ts';

const json = { status: 200, headers: { 'content-type': 'application/json' } };
const textFor = (id: string | number, filler: string): string =>
  `{"result":{"filler":"${filler}"},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;

test('a finished answer is sent under other ids, plain and compressed', () => {
  for (const filler of ['', 'short', 'long and dull '.repeat(20_000), '€ and 💥 '.repeat(500)]) {
    const finished = finishMessage(json, textFor(7, filler), 7);
    assert.ok(finished);
    for (const id of [0, -1, 12_345, 'a', '"quoted"', 'ü'.repeat(50)]) {
      const plain = finished.bodyFor(id, false);
      assert.deepEqual([plain.body.toString(), plain.isGzip], [textFor(id, filler), false]);
      const packed = finished.bodyFor(id, true);
      assert.equal((packed.isGzip ? gunzipSync(packed.body) : packed.body).toString(), textFor(id, filler));
    }
    assert.equal(finished.bodyFor(1, true).isGzip, filler.length > 1024);
  }
});

test('a finished short stream ends with its empty line and stays plain', () => {
  const stream = { status: 200, headers: { 'content-type': 'text/event-stream' } };
  const frame = (id: number) => `event: message\ndata: ${textFor(id, 'x'.repeat(5_000))}\n\n`;
  const finished = finishMessage(stream, frame(1), 1);
  assert.deepEqual(finished?.bodyFor(2, true), { body: Buffer.from(frame(2)), isGzip: false });
});

test('an error, or an answer that does not end with the id of its message, is not kept', () => {
  assert.equal(finishMessage(json, '{"jsonrpc":"2.0","id":1,"result":{}}', 1), undefined);
  assert.equal(finishMessage(json, textFor(2, ''), 1), undefined);
  assert.equal(finishMessage(json, '{"error":{"code":-32603,"message":"No."},"jsonrpc":"2.0","id":1}', 1), undefined);
});
