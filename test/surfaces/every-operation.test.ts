/** Every operation of the contract in process and over REST: both admit, refuse and count the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endpointOf, type NamedOperation, operationList, signatureTierOf } from '@market/contract';
import { expectCall } from '../harness/http.ts';
import { callInProcess, type InProcessCall } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { signed } from '../harness/people.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { type Cast, gatherCast, type OperationRequest, SIGN_IN, toRawRequest, wellFormedRequest } from '../properties/operation-request.ts';

let market: TestMarket;
let cast: Cast;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
  cast = await gatherCast(market.url);
});
after(() => market.close());

/** Refusals that come before any check of the arguments. */
const WHAT_IS_NOT_THEIRS = [
  'order_not_found',
  'service_not_found',
  'bounty_not_found',
  'not_token_owner',
  'custody_signature_required',
  'forbidden',
  'x_account_required',
];

/** The arguments of the definition's own example, with a file as bytes. */
function argumentsOf({ spec }: NamedOperation, { path }: OperationRequest): Record<string, unknown> {
  const { [spec.rest.multipart?.field ?? '']: _file, ...fields } = spec.examples[0]?.input ?? {};
  return { ...fields, ...path };
}

/** The credentials in the REST request of the same call. */
async function credentialsOf({ spec }: NamedOperation, { headers }: OperationRequest): Promise<InProcessCall> {
  const bearer = headers.find(([name]) => name === 'Authorization')?.[1];
  const isSigned = headers.some(([name]) => name.startsWith('x-market-wallet'));
  const signature = isSigned ? await (signatureTierOf(spec) === 'ordinary' ? cast.signature : signed(cast.wallet)) : undefined;
  const signIn = headers.find(([name]) => name === SIGN_IN)?.[1].toString();
  return { key: typeof bearer === 'string' ? bearer.replace('Bearer ', '') : undefined, signature, signIn };
}

async function overRest(operation: NamedOperation, request: OperationRequest): Promise<{ code: string; fields: string[] }> {
  const { status, body } = await sendRaw(market.url, toRawRequest(operation, request));
  // A challenge has the form of x402, without a code.
  const code = status < 300 ? 'ok' : status === 402 ? 'payment_required' : String(body['code']);
  const { success: _success, ...fields } = body;
  return { code, fields: Object.keys(fields).sort() };
}

test('the contract has operations of every kind', () => {
  for (const kind of ['read', 'write', 'pay']) assert.ok(operationList.some(({ spec }) => spec.effects.kind === kind));
  assert.ok(operationList.length > 120);
});

for (const operation of operationList) {
  const { name, spec } = operation;
  const needsCredentials = !spec.access.accepts.includes('anonymous');

  describe(name, () => {
    if (needsCredentials)
      test(`${name} in process refuses a caller without credentials, as REST does`, async () => {
        const request = { ...(await wellFormedRequest(operation, cast)), headers: [] };
        const { code, refusal } = await callInProcess(market, name, argumentsOf(operation, request));
        assert.equal(code, 'unauthenticated');
        assert.equal(refusal?.status, 401);
        assert.equal((await overRest(operation, request)).code, code);
      });

    test(`${name} in process refuses an unknown argument, as REST does`, async () => {
      const request = await wellFormedRequest(operation, cast);
      const args = { ...argumentsOf(operation, request), no_such_argument: 'x' };
      const { code } = await callInProcess(market, name, args, await credentialsOf(operation, request));
      if (spec.rest.method === 'GET') return assert.equal(code, 'invalid_input');
      const body = { ...request.body, no_such_argument: '"x"' };
      const headers: OperationRequest['headers'] = request.body ? [] : [['Content-Type', 'application/json']];
      const spoilt = { ...(await wellFormedRequest(operation, cast)), body };
      const rest = await overRest(operation, { ...spoilt, headers: [...headers, ...spoilt.headers] });
      assert.equal(code, rest.code);
      assert.ok(['invalid_input', ...WHAT_IS_NOT_THEIRS].includes(code), code);
    });

    test(`${name} in process refuses text that cannot be stored`, async () => {
      const request = await wellFormedRequest(operation, cast);
      const args = { ...argumentsOf(operation, request), no_such_argument: 'half a pair \ud800' };
      const { code } = await callInProcess(market, name, args, await credentialsOf(operation, request));
      assert.ok(['invalid_encoding', ...WHAT_IS_NOT_THEIRS].includes(code), code);
    });

    if (spec.effects.kind === 'read' && spec.output.stream !== true)
      test(`${name} in process answers a valid call as REST does`, async () => {
        const request = await wellFormedRequest(operation, cast);
        const { code, answer } = await callInProcess(
          market,
          name,
          argumentsOf(operation, request),
          await credentialsOf(operation, request),
        );
        const rest = await overRest(operation, await wellFormedRequest(operation, cast));
        assert.equal(code, rest.code);
        if (code === 'ok' && spec.output.bare !== true) assert.deepEqual(Object.keys(answer).sort(), rest.fields);
      });
  });
}

test('the executor counts one hit for every limited operation, on the same counter as REST', async () => {
  const from = '203.0.113.9';
  const limited = operationList.filter(({ spec }) => spec.limit !== undefined);
  for (const { name } of limited) await callInProcess(market, name, { no_such_argument: 'x' }, { from });
  const { rows } = await market.database.pool.query('select endpoint, hits from rate_limit_windows where client = $1', [from]);
  const counted = new Map(rows.map(({ endpoint, hits }) => [endpoint, hits]));
  const expected = Map.groupBy(limited, ({ spec }) => endpointOf(spec));
  assert.deepEqual(counted, new Map([...expected].map(([endpoint, sharers]) => [endpoint, sharers.length])));
});

test('the executor refuses every change from a banned address', async () => {
  const from = '203.0.113.66';
  const body = { kind: 'ip', value: from, reason: 'Floods the market.' };
  await expectCall(market.url, 200, 'POST /api/admin/bans', { key: cast.adminToken, body });
  for (const operation of operationList.filter(({ spec }) => spec.effects.kind !== 'read')) {
    const args = argumentsOf(operation, await wellFormedRequest(operation, cast));
    assert.equal((await callInProcess(market, operation.name, args, { from })).code, 'banned', operation.name);
  }
});
