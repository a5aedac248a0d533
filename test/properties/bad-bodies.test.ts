/** Invalid bodies, on every operation with a body. */
import { after, before, test } from 'node:test';
import { openMarket, type TestMarket } from '../harness/market.ts';
import type { RawRequest } from '../harness/raw-http.ts';
import { hostileBodies } from './hostile-values.ts';
import { castOf, operationList, toRawRequest, wellFormedRequest } from './operation-request.ts';
import { sample } from './sampling.ts';
import { watchOperation } from './watch.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
});
after(() => market.close());

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

interface Misdeclared {
  readonly title: string;
  readonly headers: NonNullable<RawRequest['headers']>;
  readonly body: string;
  readonly must: readonly number[];
}

/** Bodies with headers that contradict them, or none. */
const MISDECLARED: readonly Misdeclared[] = [
  { title: 'no type', headers: [], body: '{"a":1}', must: [400, 415] },
  { title: 'gzip', headers: [JSON_TYPE, ['Content-Encoding', 'gzip']], body: '\u001f\u008b', must: [400, 415] },
  { title: 'a length that is no number', headers: [JSON_TYPE, ['Content-Length', 'ten']], body: '{"a":1}', must: [400] },
  { title: 'two lengths', headers: [JSON_TYPE, ['Content-Length', '7'], ['Content-Length', '8']], body: '{"a":1}', must: [400] },
  { title: 'a negative length', headers: [JSON_TYPE, ['Content-Length', '-1']], body: '{"a":1}', must: [400] },
  {
    title: 'a chunk of unreadable size',
    headers: [JSON_TYPE, ['Transfer-Encoding', 'chunked']],
    body: 'zz\r\n{"a":1}\r\n0\r\n\r\n',
    must: [400],
  },
  { title: 'an unknown transfer encoding', headers: [JSON_TYPE, ['Transfer-Encoding', 'gzip']], body: '{"a":1}', must: [400] },
  {
    title: 'chunks beyond the limit',
    headers: [JSON_TYPE, ['Transfer-Encoding', 'chunked']],
    body: inChunks('x'.repeat(300 * 1024)),
    must: [413],
  },
];

for (const operation of operationList) {
  const { method } = operation.spec.rest;
  if (method === 'GET') continue;

  // An operation that takes a form refuses JSON for its type before any other fault.
  const mustHere = (must: readonly number[] | undefined) => (operation.spec.rest.multipart === undefined ? must : [400, 415]);

  test(`${operation.name} refuses invalid bodies with a reason and changes nothing`, async () => {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    for (const { title, content, type = 'application/json', must } of sample(hostileBodies, { everyday: 4, thorough: 7 })) {
      const { headers = [], ...request } = toRawRequest(operation, await wellFormedRequest(operation, cast));
      const spoilt: RawRequest = { ...request, headers: [['Content-Type', type], ...withoutType(headers)], body: content };
      await watch.send(title, spoilt, mustHere(must));
    }
    await watch.report();
  });

  test(`${operation.name} refuses a body without a type, a compressed one and one of the wrong length`, async () => {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    const headersAnew = async () => withoutType(toRawRequest(operation, await wellFormedRequest(operation, cast)).headers ?? []);
    const { path } = toRawRequest(operation, await wellFormedRequest(operation, cast));
    for (const { title, headers, body, must } of sample(MISDECLARED, { everyday: 2, thorough: 4 }))
      await watch.send(title, { method, path, headers: [...headers, ...(await headersAnew())], body }, mustHere(must));
    await watch.report();
  });
}

test('a GET request with a body is answered like one without, unless its path accepts a body', async () => {
  const readsBody = new Set(operationList.filter(({ spec }) => spec.rest.alsoByGet === true).map(({ spec }) => spec.rest.path));
  for (const operation of operationList.filter(({ spec }) => spec.rest.method === 'GET')) {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    const request = toRawRequest(operation, await wellFormedRequest(operation, cast));
    const plain = await watch.send('without a body', request);
    const json = ['Content-Type', 'application/json'] as const;
    await watch.send('with a body', { ...request, headers: [json, ...(request.headers ?? [])], body: '{"__proto__":1}' }, [
      readsBody.has(operation.spec.rest.path) ? 400 : plain.status,
    ]);
    await watch.report();
  }
});

function withoutType(headers: NonNullable<RawRequest['headers']>): NonNullable<RawRequest['headers']> {
  return headers.filter(([name]) => name !== 'Content-Type');
}

function inChunks(content: string): string {
  const chunk = content.slice(0, 64 * 1024);
  return `${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(Math.ceil(content.length / chunk.length))}0\r\n\r\n`;
}
