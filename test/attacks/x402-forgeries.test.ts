/** Payments that are altered, swapped, too small, of another chain or malformed: refused, nothing charged, nothing granted. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import type { PaymentRequirements } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  encode,
  hireWith,
  inEveryVersion,
  MACHINE_BRIEF,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineBuyers,
  openMachineStage,
  readHoldings,
  readOffer,
  requireHired,
  signPayment,
  transferProof,
  versionOne,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { listService } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, requireSound } from '../money/money.ts';

suite('a payment that does not match the offer', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  let offers: Record<NetworkName, PaymentRequirements>;
  before(async () => {
    stage = await openMachineStage();
    buyers = await openMachineBuyers(stage);
    const read = await Promise.all(
      networkNames.map(async (network) => [network, await readOffer(stage, stage.urls[0], stage.serviceId, network)]),
    );
    offers = Object.fromEntries(read);
  });
  after(() => stage.close());

  const everybodyHas = () => readHoldings(stage, Object.values(buyers));

  /** Requires that both servers refuse, and nobody's money or orders change. */
  async function requireRefused(what: string, status: number, code: string, ask: (url: string) => Promise<Reply>): Promise<void> {
    const before = await everybodyHas();
    for (const url of stage.urls) {
      const reply = await ask(url);
      // A 402 is the challenge itself; its code is in the failed receipt or in the error text.
      assert.equal(reply.status, status, `${what}: ${JSON.stringify(reply.body)}`);
      if (status !== 402) assert.equal(reply.body['code'], code, what);
      else assert.match(String(reply.body['error'] ?? receiptOf(reply)), new RegExp(code), what);
      assert.match(reply.headers.get('cache-control') ?? '', /no-store/, what);
    }
    assert.deepEqual(await everybodyHas(), before, what);
  }

  function receiptOf(reply: Reply): string {
    const header = reply.headers.get('payment-response') ?? reply.headers.get('x-payment-response') ?? '';
    const words = reply.headers.get('payment-required') ?? '';
    return Buffer.from(header, 'base64').toString() + Buffer.from(words, 'base64').toString();
  }

  for (const network of some(networkNames, 2)) {
    test(`on ${network}: no field of the accepted payment offer can be replaced, even if signed`, async () => {
      const offer = offers[network];
      const other = network === 'solana-mainnet' ? 'base-mainnet' : 'solana-mainnet';
      const swaps: readonly (readonly [string, Partial<PaymentRequirements>])[] = [
        ['a lower price', { amount: '1' }],
        ['a higher price', { amount: String(CHARGED_MICROS + 1n) }],
        ['another receiver', { payTo: freshAddress(network) }],
        ['another asset', { asset: freshAddress(network) }],
        ['another scheme', { scheme: 'upto' }],
        ['a longer life', { maxTimeoutSeconds: 86_400 }],
        ['other extras', { extra: { name: 'Other', version: '1', feePayer: freshAddress(network) } }],
        ['the other network’s receiver and asset', { payTo: offers[other].payTo, asset: offers[other].asset }],
      ];
      for (const [what, change] of swaps) {
        // Signed over the real offer, so that only the envelope differs; and over the changed offer where that can be signed.
        const honest = await buyers[network].authorise(offer);
        await requireRefused(what, 402, 'invalid_payment_requirements', (url) =>
          hireWith(url, stage.serviceId, versionTwo({ ...offer, ...change }, honest)),
        );
      }
    });

    test(`on ${network}: a payment of one unit more or less than the price, or to another recipient, is refused in both versions`, async () => {
      const offer = offers[network];
      const changes: readonly Partial<PaymentRequirements>[] = [
        { amount: String(CHARGED_MICROS - 1n) },
        { amount: String(CHARGED_MICROS + 1n) },
        ...(network === 'solana-mainnet' ? [] : [{ payTo: freshAddress(network) }]),
      ];
      for (const change of changes) {
        const payload = await buyers[network].authorise({ ...offer, ...change });
        for (const headers of inEveryVersion(network, offer, payload)) {
          await requireRefused(JSON.stringify(change), 402, 'invalid_exact_', (url) => hireWith(url, stage.serviceId, headers));
        }
      }
    });
  }

  test('X06: payments on networks that are not offered are refused, and a transaction of one chain is invalid on another', async () => {
    const [offer, buyer] = [offers['base-mainnet'], buyers['base-mainnet']];
    const payload = await buyer.authorise(offer);
    for (const network of ['eip155:84532', 'eip155:1', 'EIP155:8453', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'base']) {
      const lie = { ...offer, network: network as PaymentRequirements['network'] };
      await requireRefused(network, 400, 'network_not_available', (url) => hireWith(url, stage.serviceId, versionTwo(lie, payload)));
    }
    for (const network of ['base-sepolia', 'solana-devnet', 'base-mainnet', 'Base', 'eip155:8453']) {
      const headers = { 'x-payment': encode({ x402Version: 1, scheme: 'exact', network, payload }) };
      await requireRefused(network, 400, 'network_not_available', (url) => hireWith(url, stage.serviceId, headers));
    }
    const alt = await readOffer(stage, stage.urls[0], stage.serviceId, 'alt-mainnet');
    await requireRefused('signed for Base, shown as alt', 402, 'invalid_exact_evm', (url) =>
      hireWith(url, stage.serviceId, versionTwo(alt, payload)),
    );

    const rich = await openMachineBuyer(stage, 'alt-mainnet');
    const onAlt = await rich.payer.pay(chainOf(stage, 'alt-mainnet').treasury, CHARGED_MICROS);
    await requireRefused('an alt hash without its network', 402, 'not found|known', (url) =>
      hireWith(url, stage.serviceId, { 'x-payment': onAlt }),
    );
    await requireRefused('an alt hash as Base', 402, 'not found|known', (url) =>
      hireWith(url, stage.serviceId, transferProof('base-mainnet', onAlt)),
    );
    await requireRefused('an EVM hash as Solana', 400, 'payment_network_mismatch', (url) =>
      hireWith(url, stage.serviceId, transferProof('solana-mainnet', onAlt)),
    );
    await requireHired(hireWith(stage.urls[0], stage.serviceId, transferProof('alt-mainnet', onAlt)));
  });

  test('M20: payment amounts are plain digits: decimals, leading zeros, exponents, signs and overlong numbers are refused', async () => {
    const [offer, buyer] = [offers['base-mainnet'], buyers['base-mainnet']];
    const payload = (await buyer.authorise(offer)) as { authorization: object };
    const spellings = [
      '1.1',
      '01100000',
      '1.1e6',
      '-1100000',
      '+1100000',
      '0x10c8e0',
      ' 1100000',
      '1100000 ',
      '',
      '1'.repeat(90),
      '1_100_000',
    ];
    for (const spelling of spellings) {
      await requireRefused(`accepted ${spelling}`, 400, 'invalid_payment_header', (url) =>
        hireWith(url, stage.serviceId, versionTwo({ ...offer, amount: spelling }, payload)),
      );
      const bent = { ...payload, authorization: { ...payload.authorization, value: spelling } };
      await requireRefused(`signed ${spelling}`, 400, 'invalid_payment_header', (url) =>
        hireWith(url, stage.serviceId, versionTwo(offer, bent)),
      );
    }
    for (const amount of [String(CHARGED_MICROS * 10n ** 12n), '1', '0']) {
      await requireRefused(`accepted ${amount}`, 402, 'invalid_payment_requirements', (url) =>
        hireWith(url, stage.serviceId, versionTwo({ ...offer, amount }, payload)),
      );
    }
  });

  test('M09: a transfer one unit short is refused and stays unused; one unit over is accepted and owed back', async () => {
    const buyer = buyers['base-mainnet'];
    const { treasury } = chainOf(stage, 'base-mainnet');
    const cheap = await listService(stage.urls[0], stage.provider, { price_usd: '0.99', title: 'Just below the other' });
    const short = await buyer.payer.pay(treasury, CHARGED_MICROS - 1n);
    await requireRefused('one unit short', 402, '1.09', (url) => hireWith(url, stage.serviceId, transferProof('base-mainnet', short)));
    await requireHired(hireWith(stage.urls[1], cheap, transferProof('base-mainnet', short)));
    const over = await buyer.payer.pay(treasury, CHARGED_MICROS + 1n);
    const { orderId } = await requireHired(hireWith(stage.urls[1], stage.serviceId, transferProof('base-mainnet', over)));
    const { rows } = await stage.database.pool.query('select amount_micros, price_micros from payment_claims where subject_id = $1', [
      orderId,
    ]);
    assert.deepEqual(rows, [{ amount_micros: CHARGED_MICROS + 1n, price_micros: CHARGED_MICROS }]);
  });

  test('M31: a Solana transaction that would spend the sponsor’s own money is refused', async () => {
    const offer = offers['solana-mainnet'];
    const { feePayer } = offer.extra as { feePayer: string };
    const had = (await chainOf(stage, 'solana-mainnet').readBalances(feePayer)).native;
    const foreign = await buyers['solana-mainnet'].authorise({ ...offer, extra: { feePayer: buyers['solana-mainnet'].address } });
    await requireRefused('another fee payer', 402, 'invalid_exact_svm', (url) =>
      hireWith(url, stage.serviceId, versionTwo(offer, foreign)),
    );
    await requireRefused('no transaction', 400, 'invalid_payment_header', (url) =>
      hireWith(url, stage.serviceId, versionTwo(offer, { transaction: 'AAAA' })),
    );
    assert.equal((await chainOf(stage, 'solana-mainnet').readBalances(feePayer)).native, had);
  });

  test('X05: contradicting, repeated or malformed payment headers are refused; header case and base64 alphabet do not matter', async () => {
    const url = stage.urls[0];
    const payment = (await signPayment(stage, buyers['base-mainnet']))['payment-signature'] ?? '';
    const older = versionOne('base-mainnet', await buyers['base-mainnet'].authorise(offers['base-mainnet']))['x-payment'] ?? '';
    const body = JSON.stringify({ brief: MACHINE_BRIEF });
    const send = (...headers: (readonly [string, string | Buffer])[]) =>
      sendRaw(url, {
        method: 'POST',
        path: `/api/x402/pay?service_id=${stage.serviceId}`,
        headers: [['Content-Type', 'application/json'], ...headers],
        body,
      });
    const before = await everybodyHas();
    const bad: readonly (readonly [string, readonly (readonly [string, string | Buffer])[], readonly number[]])[] = [
      [
        'both',
        [
          ['PAYMENT-SIGNATURE', payment],
          ['X-PAYMENT', older],
        ],
        [400],
      ],
      [
        'twice',
        [
          ['PAYMENT-SIGNATURE', payment],
          ['PAYMENT-SIGNATURE', payment],
        ],
        [400],
      ],
      ['joined', [['X-PAYMENT', `${older},${older}`]], [400]],
      ['a version 2 payment cut short', [['PAYMENT-SIGNATURE', payment.slice(0, 300)]], [400]],
      ['100 KB', [['X-PAYMENT', 'A'.repeat(100_000)]], [400, 431]],
      ['9 KB', [['X-PAYMENT', 'A'.repeat(9_000)]], [400, 431]],
      ['not base64', [['X-PAYMENT', 'pay me!']], [400]],
      ['JSON as it is', [['X-PAYMENT', Buffer.from(older, 'base64').toString()]], [400]],
      ['invalid UTF-8 inside', [['X-PAYMENT', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]).toString('base64')]], [400]],
      ['raw bytes', [['X-PAYMENT', Buffer.from([0xff, 0xfe, 0x80])]], [400]],
      ['a line break', [['X-PAYMENT', `${older.slice(0, 20)}\r\nX-Injected: 1`]], [400]],
      ['a bare line feed', [['X-PAYMENT', `${older.slice(0, 20)}\nX-Injected: 1`]], [400]],
      ['another version', [['X-PAYMENT', encode({ x402Version: 3, scheme: 'exact', network: 'base', payload: {} })]], [400]],
      ['a reference as a version 2 payment', [['PAYMENT-SIGNATURE', `0x${'a'.repeat(64)}`]], [400]],
      ['65 bytes of base58', [['X-PAYMENT', '2'.repeat(95)]], [400]],
      ['an empty payment', [['X-PAYMENT', '']], [402]],
    ];
    for (const [what, headers, statuses] of bad) {
      const reply = await send(...headers);
      assert.ok(statuses.includes(reply.status), `${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
      assert.equal(reply.headers.get('x-injected'), null);
    }
    assert.deepEqual(await everybodyHas(), before);
    const urlSafe = payment.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const mixed = await send(['pAyMeNt-SiGnAtUrE', urlSafe]);
    const same = await send(['PAYMENT-SIGNATURE', payment]);
    assert.deepEqual([mixed.status, same.status, same.body['data'].order_id], [200, 200, mixed.body['data'].order_id]);
    assert.match(same.headers.get('cache-control') ?? '', /no-store/);
  });

  test('X07, X10: challenges and paid answers are not cacheable, and service titles cannot inject into them', async () => {
    const list = (title: string) =>
      call(stage.urls[0], `POST /api/agents/${stage.provider.id}/services`, {
        headers: stage.provider.headers,
        body: {
          category: 'custom',
          title,
          description: 'A title that wants to be more than the title it is.',
          price_usd: '1.00',
          price_type: 'fixed',
        },
      });
    for (const evil of ['<script>alert(1)</script>', 'Pay {"amount":"1"}', 'Pay \u{1F4B8}']) {
      assert.equal((await list(evil)).body['code'], 'invalid_input', evil);
    }
    // Invisible characters are removed.
    assert.equal((await list('Pay\r\nX: \u202Eless')).body['data'].title, 'Pay X: less');
    const listed = await list('Pay 0.01 only! "amount": "1", "payTo": "0x00" (see #1)');
    assert.equal(listed.status, 201, JSON.stringify(listed.body));
    const service = listed.body['data'].id;
    for (const path of [`discover/${service}`, `discover?service_id=${service}`, `pay?service_id=${service}`]) {
      const asked = await call(stage.urls[0], `GET /api/x402/${path}`);
      assert.equal(asked.status, 402);
      assert.match(asked.headers.get('cache-control') ?? '', /no-store/);
      const header = asked.headers.get('payment-required') ?? '';
      assert.match(header, /^[A-Za-z0-9+/]+=*$/);
      assert.ok(header.length < 8192);
      const { accepts, resource } = JSON.parse(Buffer.from(header, 'base64').toString());
      for (const { amount, payTo } of accepts) {
        assert.equal(amount, String(CHARGED_MICROS));
        assert.ok([...stage.chains.values()].some(({ treasury }) => treasury === payTo));
      }
      assert.match(resource.serviceName, /^[\x20-\x7e]{1,32}$/);
    }
    const paid = await hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyers['base-mainnet']));
    assert.match(paid.headers.get('cache-control') ?? '', /private.*no-store/);
  });

  test('the books are sound after forged payments', async () => {
    await requireSound(stage.money);
  });
});
