/** Payment identifiers: a repeated purchase is not charged again, on two servers over one database. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  generatePaymentId,
  PAYMENT_IDENTIFIER,
  validatePaymentIdentifier,
} from '@x402/extensions/payment-identifier';
import { hasEnded } from '../faults/crash-lab.ts';
import { registerAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  countOrders,
  type Headers,
  hireUntilKnown,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineBuyers,
  openMachineStage,
  readOffer,
  requireHired,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { readOwnAgent, registerWith, requireRegistered, signRegistration } from '../harness/machine-registrations.ts';
import { agentBody, asHeaders, baseWallet, signed } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';

interface Declaration {
  readonly info: unknown;
  readonly schema: { readonly properties: Readonly<Record<string, unknown>> };
}

suite('a payment with a payment identifier', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  before(async () => {
    stage = await openMachineStage({}, { hosted: false });
    buyers = await openMachineBuyers(stage);
  });
  after(() => stage.close());

  const extensionOf = async (id: string): Promise<unknown> => (await extensionsWith(id))[PAYMENT_IDENTIFIER];
  /** Adds the identifier to the declared extension, as the official client does. */
  async function extensionsWith(id: string): Promise<Record<string, unknown>> {
    const asked = await call(stage.urls[0], `GET /api/x402/discover/${stage.serviceId}`);
    const { extensions = {} } = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '') as {
      extensions?: Record<string, unknown>;
    };
    const own = { [PAYMENT_IDENTIFIER]: extensions[PAYMENT_IDENTIFIER] };
    return appendPaymentIdentifierToExtensions(own, id);
  }
  const sign = async (buyer: MachineBuyer, extensions: Record<string, unknown>): Promise<Headers> => {
    const offer = await readOffer(stage, stage.urls[0], stage.serviceId, buyer.payer.chain.network);
    return versionTwo(offer, await buyer.authorise(offer), extensions);
  };
  const named = async (buyer: MachineBuyer, id: string): Promise<Headers> => await sign(buyer, await extensionsWith(id));
  const hire = (server: 0 | 1, headers: Headers, body: Record<string, unknown> = {}) =>
    hireWith(stage.urls[server], stage.serviceId, headers, body);
  const holds = async ({ payer, address }: MachineBuyer) => (await payer.chain.readBalances(address)).usdcMicros;
  const untilHandled = (subjectId: string) =>
    until('the answer being noted', async () => {
      const { rows } = await stage.database.pool.query('select told_at from x402_purchases where subject_id = $1', [subjectId]);
      return rows[0]?.told_at ?? undefined;
    });

  test('a payment identifier is declared in the challenge in a form that the official package accepts', async () => {
    const asked = await call(stage.urls[0], `GET /api/x402/discover/${stage.serviceId}`);
    const { extensions } = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '') as {
      extensions?: Record<string, unknown>;
    };
    const [ours, official] = [extensions?.[PAYMENT_IDENTIFIER], declarePaymentIdentifierExtension()] as Declaration[];
    assert.deepEqual(ours?.info, official?.info);
    // Our schema is shorter than the official one, and as strict about the identifier itself.
    assert.deepEqual(ours?.schema.properties['id'], official?.schema.properties['id']);
    assert.deepEqual(validatePaymentIdentifier(ours), { valid: true });
    assert.deepEqual(validatePaymentIdentifier(await extensionOf(generatePaymentId())), { valid: true });
  });

  for (const network of some(networkNames, 1)) {
    test(`X03: on ${network}: another payment under the same identifier gets the same answer with token and is not charged`, async () => {
      const buyer = buyers[network];
      const [id, had, orders] = [generatePaymentId(), await holds(buyer), await countOrders(stage)];
      const first = await requireHired(hire(0, await named(buyer, id)));
      assert.match(first.token ?? '', /^order_/);
      await untilHandled(first.orderId);
      const second = await named(buyer, id);
      for (const server of [1, 0] as const) assert.deepEqual(await requireHired(hire(server, second)), first);
      assert.deepEqual([await holds(buyer), await countOrders(stage)], [had - CHARGED_MICROS, orders + 1]);
      // The money that was not charged still buys something else.
      const unnamed = await sign(buyer, {});
      assert.notEqual((await requireHired(hire(1, unnamed))).orderId, first.orderId);
    });

    test(`on ${network}: another request under the same payment identifier is a 409, and nothing is charged`, async () => {
      const buyer = buyers[network];
      const id = generatePaymentId();
      await requireHired(hire(0, await named(buyer, id)));
      const [had, orders] = [await holds(buyer), await countOrders(stage)];
      const other = await hire(1, await named(buyer, id), { brief: 'Something else.' });
      assert.deepEqual([other.status, other.body['code']], [409, 'payment_identifier_reused']);
      assert.deepEqual([await holds(buyer), await countOrders(stage)], [had, orders]);
    });

    test(`on ${network}: ten parallel payments under one identifier make one order and one charge`, async () => {
      const buyer = buyers[network];
      const id = generatePaymentId();
      const [had, orders] = [await holds(buyer), await countOrders(stage)];
      const payments = await Promise.all(Array.from({ length: 10 }, () => named(buyer, id)));
      const replies = await Promise.all(payments.map((headers, index) => hire(index % 2 === 0 ? 0 : 1, headers)));
      const statuses = new Set(replies.map(({ status }) => status));
      assert.ok(statuses.has(200) && [...statuses].every((status) => status === 200 || status === 503), [...statuses].join());
      const ids = replies.filter(({ status }) => status === 200).map(({ body }) => body['data'].order_id);
      assert.equal(new Set(ids).size, 1);
      assert.deepEqual([await holds(buyer), await countOrders(stage)], [had - CHARGED_MICROS, orders + 1]);
    });
  }

  test('the same payment identifier from another payer is another purchase', async () => {
    const id = generatePaymentId();
    const [one, two] = await Promise.all([
      requireHired(hire(0, await named(buyers['base-mainnet'], id))),
      requireHired(hire(1, await named(buyers['solana-mainnet'], id))),
    ]);
    assert.notEqual(one.orderId, two.orderId);
  });

  test('a repeated payment returns the token only with its own identifier', async () => {
    const buyer = buyers['base-mainnet'];
    const offer = await readOffer(stage, stage.urls[0], stage.serviceId, 'base-mainnet');
    const payload = await buyer.authorise(offer);
    const named1 = versionTwo(offer, payload, await extensionsWith(generatePaymentId()));
    const first = await requireHired(hire(0, named1));
    await untilHandled(first.orderId);
    assert.deepEqual(await requireHired(hire(1, named1)), first);
    for (const headers of [versionTwo(offer, payload), versionTwo(offer, payload, await extensionsWith(generatePaymentId()))]) {
      const again = await requireHired(hire(1, headers));
      assert.deepEqual([again.orderId, again.token], [first.orderId, null]);
    }
  });

  test('an unpayable payment under a used identifier gets its order, with the token only for the payer’s signature', async () => {
    const poor = await openMachineBuyer(stage, 'base-mainnet', CHARGED_MICROS);
    const id = generatePaymentId();
    const [paid, unpayable] = [await named(poor, id), await named(poor, id)];
    const first = await requireHired(hire(0, paid));
    assert.equal(await holds(poor), 0n);
    await untilHandled(first.orderId);
    for (const heard of ['told_at', 'null']) {
      await stage.database.pool.query(`update x402_purchases set told_at = ${heard} where subject_id = $1`, [first.orderId]);
      const again = await requireHired(hire(1, unpayable));
      assert.deepEqual([again.orderId, again.token], [first.orderId, null], heard);
    }
    const proven = await requireHired(hire(1, { ...unpayable, ...asHeaders(await signed(poor)) }));
    assert.deepEqual([proven.orderId, proven.token], [first.orderId, first.token]);
    const stranger = await requireHired(hire(1, { ...unpayable, ...asHeaders(await signed(baseWallet())) }));
    assert.equal(stranger.token, null);
    const otherwise = await hire(1, unpayable, { brief: 'Something else.' });
    assert.equal(otherwise.status, 402, 'with another request it is a payment that cannot be taken');
  });

  test('a payment identifier whose payment failed can be used again', async () => {
    const broke = await openMachineBuyer(stage, 'base-mainnet', CHARGED_MICROS - 1n);
    const id = generatePaymentId();
    assert.equal((await hire(0, await named(broke, id))).status, 402);
    await stage.localChains.fund({ network: 'base-mainnet', address: broke.address, usdcMicros: 1n, native: 0n });
    await until('the faucet', async () => ((await holds(broke)) === CHARGED_MICROS ? true : undefined));
    await requireHired(hire(0, await named(broke, id)));
    assert.equal(await holds(broke), 0n);
  });

  test('a malformed payment identifier is 400 and nothing is charged; an empty echo counts as none', async () => {
    const buyer = buyers['base-mainnet'];
    const had = await holds(buyer);
    const bad: readonly unknown[] = [
      { info: { required: false, id: 'too-short' } },
      { info: { required: false, id: 'x'.repeat(129) } },
      { info: { required: false, id: 'sixteen characters' } },
      { info: { required: false, id: 1234567890123456 } },
      { info: 'pay_0123456789abcdef' },
      'pay_0123456789abcdef',
      [],
    ];
    for (const extension of bad) {
      const reply = await hire(0, await sign(buyer, { [PAYMENT_IDENTIFIER]: extension }));
      assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_payment_identifier'], JSON.stringify(extension));
    }
    assert.equal(await holds(buyer), had);
    await requireHired(hire(0, await sign(buyer, { [PAYMENT_IDENTIFIER]: { info: { required: false } } })));
  });

  test('a registration under a used payment identifier returns its agent and key again for any payment', async () => {
    const buyer = buyers['base-mainnet'];
    const extensions = await extensionsWith(generatePaymentId());
    const body = agentBody();
    const first = await requireRegistered(
      registerWith(stage.urls[0], await signRegistration(stage, stage.urls[0], buyer, extensions), body),
    );
    await untilHandled(first['agent_id']);
    const had = await holds(buyer);
    const second = await signRegistration(stage, stage.urls[0], buyer, extensions);
    const again = await requireRegistered(registerWith(stage.urls[1], second, body));
    assert.deepEqual(again, first);
    assert.equal((await readOwnAgent(stage.urls[1], again['api_key']))?.['owner_wallet'], buyer.address);
    const hired = await hire(1, await sign(buyer, extensions));
    assert.deepEqual([hired.status, hired.body['code']], [409, 'payment_identifier_reused'], 'a hire is another request');
    assert.equal(await holds(buyer), had);
  });

  suite('an Idempotency-Key instead of a payment identifier', () => {
    const keyed = (payment: Headers, key: string, more: Headers = {}) => ({ ...payment, 'idempotency-key': key, ...more });
    const signNew = (buyer: MachineBuyer) => sign(buyer, {});
    /** Frees the key, as an answer of 503 does. */
    const freeKey = (key: string) => stage.database.pool.query('delete from idempotency_keys where key = $1', [key]);
    const endLease = (key: string) =>
      stage.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where key = $1', [key]);

    async function dieAt(point: string, payment: Headers): Promise<void> {
      const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
      assert.equal(await hireWith(doomed.url, stage.serviceId, payment).catch(() => undefined), undefined);
      await until('death', async () => (hasEnded(doomed) ? true : undefined));
    }
    const hireKnown = (payment: Headers) => requireHired(hireUntilKnown(stage.urls[0], stage.serviceId, payment));

    for (const [point, letGo] of some([['x402.after_record', endLease] as const, ['x402.after_claim', freeKey] as const], 1)) {
      for (const network of some(networkNames, 1)) {
        test(`X03: on ${network}: after a crash at ${point} the same Idempotency-Key with a new payment buys once`, async () => {
          const buyer = buyers[network];
          const [key, had, orders] = [randomUUID(), await holds(buyer), await countOrders(stage)];
          await dieAt(point, keyed(await signNew(buyer), key));
          await letGo(key);
          const known = await hireKnown(keyed(await signNew(buyer), key));
          assert.match(known.token ?? '', /^order_/);
          await freeKey(key);
          assert.deepEqual(await hireKnown(keyed(await signNew(buyer), key)), known, 'an unguessable key gets the token again');
          await freeKey(key);
          const other = await hire(0, keyed(await signNew(buyer), key), { brief: 'Something else.' });
          assert.deepEqual([other.status, other.body['code']], [422, 'idempotency_key_reused']);
          assert.deepEqual([await holds(buyer), await countOrders(stage)], [had - CHARGED_MICROS, orders + 1]);
        });
      }
    }

    test('X03: an agent that pays from two wallets under one Idempotency-Key buys once', async () => {
      const { key: apiKey } = await registerAgent(stage.urls[0]);
      const asAgent = { authorization: `Bearer ${apiKey}` };
      const [one, two, orders] = [buyers['base-mainnet'], buyers['solana-mainnet'], await countOrders(stage)];
      const had = [await holds(one), await holds(two)] as const;
      await dieAt('x402.after_record', keyed(await signNew(one), 'job-1', asAgent));
      await endLease('job-1');
      await hireKnown(keyed(await signNew(two), 'job-1', asAgent));
      assert.deepEqual([await holds(one), await holds(two), await countOrders(stage)], [had[0] - CHARGED_MICROS, had[1], orders + 1]);
    });

    test('a wallet that its first payment emptied finds its purchase, and a guessable Idempotency-Key gets no token', async () => {
      const poor = await openMachineBuyer(stage, 'base-mainnet', CHARGED_MICROS);
      const first = await requireHired(hire(0, keyed(await signNew(poor), '1')));
      await untilHandled(first.orderId);
      await freeKey('1');
      const again = await requireHired(hire(1, keyed(await signNew(poor), '1')));
      assert.deepEqual([again.orderId, again.token], [first.orderId, null]);
    });

    test('other payers and, a day later, the same payer buy anew under the same Idempotency-Key', async () => {
      const one = buyers['base-mainnet'];
      const ids = [await requireHired(hire(0, keyed(await signNew(one), '2')))];
      ids.push(await requireHired(hire(0, keyed(await signNew(buyers['solana-mainnet']), '2'))));
      await freeKey('2');
      await stage.database.pool.query(`update x402_payments set created_at = created_at - interval '25 hours' where subject_id = $1`, [
        ids[0]?.orderId,
      ]);
      ids.push(await requireHired(hire(0, keyed(await signNew(one), '2'))));
      assert.equal(new Set(ids.map(({ orderId }) => orderId)).size, 3);
    });
  });

  test('every payment received under identifiers is exactly one purchase, and the books are sound', async () => {
    const { rows } = await stage.database.pool.query(
      `select count(*)::int as claims, (select count(*)::int from x402_purchases) as purchases from payment_claims`,
    );
    assert.equal(rows[0]?.claims, rows[0]?.purchases);
    await requireSound(stage.money);
  });
});
