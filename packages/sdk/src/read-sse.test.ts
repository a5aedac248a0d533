import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSse } from './read-sse.ts';

const text =
  '\uFEFFretry: 2000\nid: 1\n\n: alive\n\nid: 2\nevent: order.paid\ndata: {"a":"Größe 日本"}\n\ndata:one\r\ndata: two\r\n\r\nid:3\rdata:  x\r\rid: 4\ndata: never finished\n';

async function parse(chunks: readonly Uint8Array[]) {
  const messages = [];
  async function* body() {
    yield* chunks;
  }
  for await (const message of readSse(body())) messages.push(message);
  return messages;
}

const expected = [
  { id: '1', event: 'message', data: undefined },
  { id: '1', event: 'message', data: undefined },
  { id: '2', event: 'order.paid', data: '{"a":"Größe 日本"}' },
  { id: '2', event: 'message', data: 'one\ntwo' },
  { id: '3', event: 'message', data: ' x' },
];

test('server-sent events are parsed with any line ending, and an unfinished one is omitted', async () => {
  assert.deepEqual(await parse([new TextEncoder().encode(text)]), expected);
});

test('server-sent events are parsed the same at any chunk boundary', async () => {
  const bytes = new TextEncoder().encode(text);
  assert.deepEqual(await parse([...bytes].map((byte) => Uint8Array.of(byte))), expected);
  for (let at = 1; at < bytes.length; at++)
    assert.deepEqual(await parse([bytes.subarray(0, at), bytes.subarray(at)]), expected, `cut at ${at}`);
});

test('an endless line of a stream is refused, not buffered without bound', async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(120);
  await assert.rejects(parse(Array.from({ length: 5 }, () => chunk)), /does not end/);
});
