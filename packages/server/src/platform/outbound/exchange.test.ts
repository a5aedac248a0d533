import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type AnswerServer, openAnswerServer, readAnswer } from '../../../../../test/harness/answer-server.ts';
import { times } from '../../../../../test/harness/thoroughness.ts';

let server: AnswerServer;
before(async () => {
  server = await openAnswerServer();
});
after(() => server.close());

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const good: readonly (readonly [title: string, bytes: string, outcome: string])[] = [
  ['a counted body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', '200 hello'],
  ['no reason phrase', 'HTTP/1.1 204\r\n\r\n', '204 '],
  ['an empty body', 'HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n', '200 '],
  [
    'a chunked body',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n',
    '200 abc0123456789',
  ],
  ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n', '200 a'],
  ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\nuntil the end', '200 until the end (closed)'],
  [
    'interim answers',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 1\r\n\r\nx',
    '202 x',
  ],
  ['the version before', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', '200 x (closed)'],
  ['the version before, kept open', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx', '200 x (closed)'],
  ['long trailers', `${CHUNKED}1\r\na\r\n0\r\nX:${' '.repeat(17_000)}y\r\n\r\n`, '200 a (closed)'],
  ['many trailers', `${CHUNKED}1\r\na\r\n0\r\n${'X:\r\n'.repeat(4_200)}\r\n`, '200 a (closed)'],
  ['a thousand fields', `HTTP/1.1 200 OK\r\n${'X:\r\n'.repeat(1_500)}Content-Length: 1\r\nConnection: close\r\n\r\nx`, '200 x (closed)'],
  ['a closing server', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx', '200 x (closed)'],
  ['not modified', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n', '304 '],
  ['not modified, with chunks announced', 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n', '304 '],
];

const bad: readonly (readonly [title: string, bytes: string, kind: string])[] = [
  ['nothing', '', 'protocol'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'protocol'],
  ['another version', 'HTTP/2.0 200 OK\r\n\r\n', 'protocol'],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 1\n\nx', 'protocol'],
  ['a folded field', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\nx', 'protocol'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx', 'protocol'],
  ['a control character', 'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n', 'protocol'],
  ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx', 'protocol'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy', 'protocol'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx', 'protocol'],
  ['length and chunks at once', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'protocol'],
  ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 'protocol'],
  ...[
    ['gzip', 'chunked'],
    ['chunked', 'gzip'],
    ['chunked', 'chunked'],
    ['', 'chunked'],
    ['chunked', ''],
  ].map(([one, other]): [string, string, string] => {
    const fields = `Transfer-Encoding: ${one}\r\nTransfer-Encoding: ${other}`;
    return [`coded twice, '${one}' and '${other}'`, `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n1\r\na\r\n0\r\n\r\n`, 'protocol'];
  }),
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'protocol'],
  ['a space after the size of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n', 'protocol'],
  ['a tab after the coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n1\r\na\r\n0\r\n\r\n', 'protocol'],
  ['no content of no number', 'HTTP/1.1 204 No Content\r\nContent-Length: +4\r\n\r\n', 'protocol'],
  ['a broken trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX\0: 1\r\n\r\n', 'protocol'],
  ['a length in a trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n', 'protocol'],
  ['an interim answer of the version before', 'HTTP/1.0 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', 'protocol'],
  ['an interim answer with a length', 'HTTP/1.1 100 Continue\r\nContent-Length: 1\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', 'protocol'],
  ['a chunk longer than it says', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n', 'protocol'],
  ['an endless chunk size', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1'.repeat(300)}`, 'protocol'],
  ['an early end', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell', 'protocol'],
  ['an early end of chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 'protocol'],
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'protocol'],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(3_000)}`, 'too_large'],
  ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), 'too_large'],
  ['trailers without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(10_000)}`, 'too_large'],
  [
    'small chunks with long extensions',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`1;a=${'b'.repeat(200)}\r\nx\r\n`.repeat(500)}0\r\n\r\n`,
    'too_large',
  ],
  [
    'another coding behind a thousand fields',
    `HTTP/1.1 200 OK\r\n${'X:\r\n'.repeat(1_500)}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'protocol',
  ],
  ['more than was asked for', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_001)}`, 'too_large'],
];

describe('an HTTP answer', () => {
  for (const [title, bytes, outcome] of good) {
    test(`an HTTP answer with ${title} is parsed, for any chunking`, async () => {
      assert.equal(await server.read(bytes), outcome);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
          assert.equal(await server.read(bytes, { cuts }), outcome);
        }),
        { numRuns: times(10, 100) },
      );
    });
  }

  for (const [title, bytes, kind] of bad) {
    test(`an HTTP answer that is ${title} is refused, for any chunking`, async () => {
      assert.equal(await server.read(bytes), kind);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
          assert.equal(await server.read(bytes, { cuts }), kind);
        }),
        { numRuns: times(5, 30) },
      );
    });
  }

  test('an HTTP answer beyond the size limit is cut if requested, and the connection is not reused', async () => {
    const body = 'x'.repeat(5_000);
    for (const head of ['Content-Length: 5000', 'X: y']) {
      const outcome = await server.read(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`, { overflow: 'cut' });
      assert.equal(outcome, `200 ${'x'.repeat(1_000)} (closed)`);
    }
  });

  test('an HTTP answer followed by extra bytes makes the connection unusable', async () => {
    const counted = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx';
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n';
    const second = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil';
    for (const answer of [counted, chunked, `HTTP/1.1 103 Early Hints\r\n\r\n${counted}`]) {
      assert.equal(await server.read(answer), '200 x');
      // The extra bytes are also cut short, because a parser that continues sees no error yet.
      for (const extra of [second, second.slice(0, 20), 'H', '\n'])
        assert.equal(await server.read(answer + extra), '200 x (closed)', JSON.stringify(extra));
    }
  });

  test('an HTTP answer of any bytes causes at most an error', async () => {
    const noise = fc.oneof(fc.string(), fc.constantFrom(...good.map(([, bytes]) => bytes), ...bad.map(([, bytes]) => bytes)));
    await fc.assert(
      fc.asyncProperty(fc.array(noise, { maxLength: 4 }), fc.array(fc.nat(400), { maxLength: 5 }), async (pieces, cuts) => {
        assert.match(await server.read(pieces.join(''), { cuts }), /^(protocol|too_large|\d{3} )/);
      }),
      { numRuns: times(100, 500) },
    );
  });
});

test('every answer of a Node server is parsed as by Node itself', async (t) => {
  const ours = createServer((asked, response) => {
    const url = new URL(asked.url ?? '/', 'http://x');
    const body = 'b'.repeat(Number(url.searchParams.get('size')));
    response.statusCode = Number(url.searchParams.get('status'));
    if (url.searchParams.get('counted') === 'true') response.setHeader('content-length', body.length);
    response.end(body);
  });
  ours.listen(0, '127.0.0.1');
  await once(ours, 'listening');
  t.after(() => ours.close());
  const { port } = ours.address() as AddressInfo;
  for (const status of [200, 201, 302, 404, 500, 503]) {
    for (const size of [0, 1, 999]) {
      for (const counted of [true, false]) {
        const path = `/?status=${status}&size=${size}&counted=${counted}`;
        const theirs = await new Promise<string>((resolve, reject) => {
          const asked = request({ port, path, host: '127.0.0.1', agent: false }, async (answer) => {
            const chunks: Buffer[] = [];
            for await (const chunk of answer) chunks.push(chunk as Buffer);
            resolve(`${answer.statusCode} ${Buffer.concat(chunks)}`);
          });
          asked.on('error', reject).end();
        });
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        assert.equal(await readAnswer(socket, path), theirs, path);
      }
    }
  }
});
