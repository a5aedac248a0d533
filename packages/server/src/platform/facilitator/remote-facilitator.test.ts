import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { parsePaymentPayload, parsePaymentRequirements } from '@x402/core/schemas';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type EvmBench, openEvmBench, PRICE, silent } from '../../../testing/facilitator-test-bench.ts';
import { ChainUnavailable } from '../chains/chain.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { openEvmContext } from './evm-domain.ts';
import type { Facilitator, StandardPayment } from './facilitator.ts';
import { createRemoteFacilitator } from './remote-facilitator.ts';

const SOLANA = { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', usdcMint: 'mint', treasury: 'treasury' };
const SUPPORTED = {
  kinds: [
    { x402Version: 2, scheme: 'exact', network: 'eip155:8453' },
    { x402Version: 2, scheme: 'exact', network: SOLANA.caip2, extra: { feePayer: 'sponsor' } },
    { x402Version: 2, scheme: 'upto', network: 'eip155:8453' },
    { x402Version: 1, scheme: 'exact', network: 'base' },
  ],
};

interface Call {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly x402Version: number; readonly paymentPayload: unknown; readonly paymentRequirements: unknown };
}
type Answer = { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> } | 'silence';

let testDatabase: TestDatabase;
let database: Database;
let bench: EvmBench;
let calls: Call[] = [];
let answers: Record<string, (call: Call) => Answer | Promise<Answer>> = {};

const server = createServer(async (request, response) => {
  const text = await readText(request);
  const path = request.url ?? '';
  const call = { path, authorization: request.headers.authorization, body: text === '' ? {} : JSON.parse(text) } as Call;
  calls.push(call);
  const answer = (await answers[path]?.(call)) ?? { status: 404 };
  if (answer === 'silence') return;
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
});

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 3, onError: () => {} });
  bench = await openEvmBench({ pool: database.pool });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.close().closeAllConnections();
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => {
  calls = [];
  answers = { '/x402/supported': () => ({ body: SUPPORTED }) };
});

const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402`;
const open = (url = addressOf()): Promise<Facilitator> =>
  createRemoteFacilitator({
    url,
    authorization: 'Bearer secret',
    evm: [openEvmContext(bench.endpoint, bench.treasury)],
    solana: SOLANA,
    log: silent,
    timeoutMs: 500,
    freshMs: 0,
  });
const payNow = async (): Promise<StandardPayment> => bench.pay((await bench.createPerson({ micros: PRICE, wei: 0n })).account);

suite('a remote facilitator', () => {
  test('a remote facilitator offers its networks for exact, version 2, with its fee payer and the token’s own name', async () => {
    const facilitator = await open();
    assert.deepEqual([...facilitator.networks].sort(), ['base-mainnet', 'solana-mainnet']);
    assert.deepEqual(facilitator.extraOf('solana-mainnet'), { feePayer: 'sponsor' });
    assert.deepEqual(facilitator.extraOf('base-mainnet'), { name: 'USD Coin', version: '2' });
    assert.deepEqual(facilitator.extraOf('alt-mainnet'), {});
    assert.equal(calls[0]?.authorization, 'Bearer secret');
  });

  test('a remote facilitator is polled for its networks; without a valid answer no network is offered', async () => {
    const facilitator = await open();
    answers['/x402/supported'] = () => ({ status: 500 });
    await untilOffered(facilitator, 0);
    answers['/x402/supported'] = () => ({ body: { kinds: 'many' } });
    await untilOffered(facilitator, 0);
    answers['/x402/supported'] = () => ({ body: { kinds: SUPPORTED.kinds.slice(0, 1) } });
    await untilOffered(facilitator, 1);
  });

  test('a remote facilitator gets the payment in protocol form, and its verdict is returned', async () => {
    const payment = await payNow();
    const { from } = payment.payload['authorization'] as { from: string };
    answers['/x402/verify'] = ({ body }) => {
      assert.ok(parsePaymentPayload(body.paymentPayload).success && parsePaymentRequirements(body.paymentRequirements).success);
      assert.equal(body.x402Version, 2);
      return { body: { isValid: true, payer: from } };
    };
    const facilitator = await open();
    assert.deepEqual(await facilitator.verify(payment), { valid: true, payer: from });
    answers['/x402/verify'] = () => ({ status: 400, body: { isValid: false, invalidReason: 'insufficient_funds' } });
    const verdict = await facilitator.verify(payment);
    assert.equal(!verdict.valid && verdict.reason, 'insufficient_funds');
  });

  test('the payer of a payment has one spelling, however the client and a remote facilitator spell it', async () => {
    const payment = await payNow();
    const authorization = payment.payload['authorization'] as { from: string };
    const from = authorization.from.toLowerCase();
    assert.notEqual(from, authorization.from);
    const respelled = { ...payment, payload: { ...payment.payload, authorization: { ...authorization, from } } };
    const facilitator = await open();
    for (const payer of [from, undefined, bench.sponsor]) {
      answers['/x402/verify'] = () => ({ body: { isValid: true, payer } });
      assert.deepEqual(await facilitator.verify(respelled), { valid: true, payer: authorization.from });
    }
  });

  test('a remote facilitator that settles on chain returns its transaction, which we can find ourselves', async () => {
    const settling = await bench.open();
    const payment = await payNow();
    answers['/x402/settle'] = async () => {
      const settled = await settling.settle(payment);
      assert.equal(settled.state, 'settled');
      return { body: { success: true, transaction: settled.reference, payer: settled.payer, network: 'eip155:8453' } };
    };
    const facilitator = await open();
    const settled = await facilitator.settle(payment);
    assert.ok(settled.state === 'settled');
    assert.equal(await facilitator.findPreempted(payment), settled.reference);
    assert.equal(facilitator.identityOf(payment), settling.identityOf(payment));
  });

  const undecided: Record<string, Answer> = {
    'says it is pending': { body: { success: false, errorReason: 'settlement_pending', transaction: '0xabc', network: 'eip155:8453' } },
    'has it twice': { body: { success: false, errorReason: 'duplicate_settlement', transaction: '', network: 'eip155:8453' } },
    'names no transaction': { body: { success: true, transaction: '', network: 'eip155:8453' } },
    'fails inside': { status: 500, body: 'oops' },
    'is behind a broken gateway': { status: 502 },
    'answers no JSON': { body: '<html>' },
    'answers too much': { body: `"${'x'.repeat(300_000)}"` },
    'sends us elsewhere': { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    'falls silent': 'silence',
  };
  for (const [what, answer] of Object.entries(undecided)) {
    test(`a remote facilitator that ${what} after it got the payment leaves it unknown, never failed`, async () => {
      answers['/x402/settle'] = () => answer;
      const settled = await (await open()).settle(await payNow());
      assert.equal(settled.state, 'unknown');
      const hasReference = answer !== 'silence' && typeof answer.body === 'object' && 'transaction' in (answer.body ?? {});
      if (hasReference) assert.equal(settled.reference, what === 'says it is pending' ? '0xabc' : undefined);
    });
  }

  test('a remote facilitator that refuses the payment makes it failed, with any status', async () => {
    const body = { success: false, errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '', network: 'eip155:8453' };
    for (const status of [200, 402]) {
      answers['/x402/settle'] = () => ({ status, body });
      const settled = await (await open()).settle(await payNow());
      assert.equal(settled.state === 'failed' && settled.reason, 'invalid_exact_evm_nonce_already_used');
    }
  });

  test('a remote facilitator that is unreachable or refuses our request answers unavailable', async () => {
    const payment = await payNow();
    for (const status of [401, 403, 404, 429]) {
      answers['/x402/settle'] = () => ({ status });
      await assert.rejects((await open()).settle(payment), ChainUnavailable, String(status));
    }
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const nobody = await open(`http://127.0.0.1:${port}`);
    assert.deepEqual(nobody.networks, []);
    await assert.rejects(nobody.settle(payment), ChainUnavailable);
    await assert.rejects(nobody.verify(payment), ChainUnavailable);
  });

  test('a remote facilitator never gets a payment that is not for us or in an unsupported form', async () => {
    const facilitator = await open();
    const payment = await payNow();
    const elsewhere = { ...payment, requirement: { ...payment.requirement, payTo: bench.sponsor } };
    const refused = [elsewhere, { ...payment, payload: { permit2Authorization: {} } }, { ...payment, network: 'alt-mainnet' as const }];
    for (const hostile of refused) {
      assert.equal((await facilitator.verify(hostile)).valid, false);
      assert.equal((await facilitator.settle(hostile)).state, 'failed');
    }
    assert.deepEqual(
      calls.filter(({ path }) => path !== '/x402/supported'),
      [],
    );
  });
});

async function untilOffered(facilitator: Facilitator, networks: number): Promise<void> {
  for (let look = 0; look < 200; look++) {
    if (facilitator.networks.length === networks) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never offered ${networks} networks`);
}
