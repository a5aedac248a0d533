/** Cursors are opaque but not signed: a list answers any cursor with a page or invalid_cursor. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { BRIEF, listService, openProvider } from '../harness/orders.ts';
import { solanaWallet } from '../harness/people.ts';
import { type Cast, castOf, operationList, toRawRequest, wellFormedRequest } from './operation-request.ts';
import { sample } from './sampling.ts';
import { watchOperation } from './watch.ts';

let market: TestMarket;
let service: string;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
  for (let n = 0; n < 3; n += 1) await registerOwnedAgent(market.url, solanaWallet());
  service = await listService(market.url, await openProvider(market.url));
});
after(() => market.close());

const ELEMENTS: readonly unknown[] = [
  '',
  'x',
  "' or 1=1 --",
  '0',
  '-1',
  '999999999999999999999',
  '999999999',
  '1e99',
  '1e400',
  '-99999999999999999999',
  '1.5',
  'NaN',
  'Infinity',
  'true',
  '2026-02-30T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:60.000Z',
  '2026-11-15T24:00:00.000Z',
  'infinity',
  '\u0000',
  '\ud800',
  'x'.repeat(500),
  null,
  0,
  {},
  ['newest'],
];

const WHOLE: readonly string[] = ['', 'x', '%00', 'null', '[]', '{}', 'bmV3ZXN0', '=====', 'W10', 'IiI', '-_-_', 'x'.repeat(1001), '😀'];

const lists = operationList.filter(({ spec }) => spec.input?.query?.shape['cursor'] !== undefined);

test('the contract has lists with cursors', () => assert.ok(lists.length > 0));

for (const operation of lists) {
  const { query } = operation.spec.input ?? {};
  const orders = (query?.shape['sortBy'] as { unwrap?: () => { options?: string[] } } | undefined)?.unwrap?.().options ?? [undefined];

  for (const order of orders) {
    test(`I07: ${operation.name} in order ${order} answers every tampered cursor with a page or invalid_cursor`, async () => {
      const cast = await castOf(market.url, operation);
      const parent = await parentOf(operation.spec.rest.path, cast);
      const watch = await watchOperation(market, operation, cast);
      const send = async (title: string, more: Record<string, string>) => {
        const request = await wellFormedRequest(operation, cast);
        const query = { ...request.query, ...(order !== undefined && { sortBy: quoted(order) }), limit: '1', ...more };
        return await watch.send(title, toRawRequest(operation, { ...request, path: { ...request.path, ...parent }, query }));
      };
      const first = await send('the first page', {});
      const tampered = [...WHOLE, ...forge(readCursor(first.body['next_cursor']))];
      for (const cursor of sample(tampered, { everyday: 15, thorough: 30 })) {
        const reply = await send(`cursor ${cursor.slice(0, 90)}`, { cursor: quoted(cursor) });
        if (reply.status >= 400 && reply.status < 500) assert.match(String(reply.body['code']), /^invalid_(cursor|input)$/);
      }
      await watch.report();
    });
  }
}

/** A list below a record needs that record to exist. */
async function parentOf(path: string, { key }: Cast): Promise<{ id?: string }> {
  if (path.startsWith('/api/services/{id}')) return { id: service };
  if (!path.startsWith('/api/orders/{id}')) return {};
  const order = await expectCall(market.url, 200, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } });
  return { id: order['id'] };
}

const quoted = (text: string) => JSON.stringify(text);

/** The elements of a genuine cursor; a list too short for one gets a cursor of a likely form. */
function readCursor(cursor: unknown): unknown[] {
  return typeof cursor === 'string' ? JSON.parse(Buffer.from(cursor, 'base64url').toString()) : ['newest', '2026-11-15T09:00:00.000Z', '1'];
}

/** The genuine cursor with each element replaced in turn, with one too few and one too many. */
function forge(genuine: readonly unknown[]): string[] {
  const changed = genuine.flatMap((_, at) => ELEMENTS.map((element) => genuine.with(at, element)));
  const resized = [genuine.slice(0, -1), [...genuine, 'x'], [genuine], Object.fromEntries(genuine.entries())];
  return [...changed, ...resized].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
}
