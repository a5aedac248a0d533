import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type NetworkName, networkOfChain, withFeeOnTop } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Facilitator } from '../../../platform/facilitator/facilitator.ts';
import { fingerprintOfHire, honouredPrices } from '../hire/hire.ts';
import { firstVersionOffers, flatOffer, orderedChains, standardOffer } from './offers.ts';

const names: readonly NetworkName[] = ['base-mainnet', 'alt-mainnet', 'solana-mainnet'];
const chainNamed = (network: NetworkName) =>
  ({ network, caip2: `id:${network}`, usdcAddress: `usdc ${network}`, treasury: `treasury ${network}` }) as unknown as Chain;
const chains = new Map(names.map((network) => [network, chainNamed(network)] as const));
const facilitator = { extraOf: (network: NetworkName) => ({ of: network }) } as unknown as Facilitator;
const clock = { now: () => new Date(7_000), realNow: () => new Date(7_000) };
const terms = { facilitator, clock };
const offer = { amountMicros: 5_500_000n, description: 'A logo', resource: 'https://market.example/api/orders', tags: [] };

suite('offers', () => {
  test('offers cost the list price plus 10%, rounded half up', () => {
    const rows: readonly (readonly [bigint, bigint])[] = [
      [5_000_000n, 5_500_000n],
      [10_000n, 11_000n],
      [4n, 4n],
      [5n, 6n],
      [14n, 15n],
      [15n, 17n],
      [10n ** 15n, 11n * 10n ** 14n],
    ];
    for (const [price, charged] of rows) assert.equal(withFeeOnTop(price), charged, String(price));
  });

  test('offers are good for days longer where the clock was moved: clients date by their own', () => {
    const moved = { facilitator, clock: { ...clock, now: () => new Date(3_607_000) } };
    for (const [given, seconds] of [
      [terms, 120],
      [moved, 86_520],
    ] as const) {
      assert.equal(flatOffer(chainNamed('base-mainnet'), given, offer).maxTimeoutSeconds, seconds);
      assert.equal(standardOffer(chainNamed('base-mainnet'), given, 1n).maxTimeoutSeconds, seconds);
    }
  });

  test('offers name the same amount, receiver and asset in all three forms', () => {
    for (const network of names) {
      const chain = chainNamed(network);
      const flat = flatOffer(chain, terms, offer);
      const standard = standardOffer(chain, terms, offer.amountMicros);
      const [first] = firstVersionOffers([flat], {});
      for (const amount of [flat.amount, flat.maxAmountRequired, standard.amount]) assert.equal(amount, '5500000');
      assert.deepEqual([flat.payTo, flat.asset.address, flat.extra], [standard.payTo, standard.asset, standard.extra]);
      assert.equal(standard.network, `id:${network}`);
      if (network === 'alt-mainnet') {
        assert.equal(first, undefined, 'version 1 has no name for it');
      } else {
        assert.deepEqual(
          [first?.['maxAmountRequired'], first?.['payTo'], first?.['asset'], first?.['network']],
          ['5500000', flat.payTo, flat.asset.address, network === 'base-mainnet' ? 'base' : 'solana'],
        );
      }
    }
  });

  test('offers list the chosen network first and leave none out', () => {
    const order = (first: NetworkName | undefined) => orderedChains(chains, first).map(({ network }) => network);
    assert.deepEqual(order(undefined), names);
    assert.deepEqual(order('solana-mainnet'), ['solana-mainnet', 'base-mainnet', 'alt-mainnet']);
    assert.equal(networkOfChain('alt'), 'alt-mainnet');
  });
});

suite('a price that changed', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const service = (previousPriceMicros: bigint | null, priceChangedAt: Date | null, priceType = 'fixed') => ({
    ...{
      id: 'svc_1' as const,
      agentId: 'agt_1' as const,
      title: 'A logo',
      category: 'image_gen' as const,
      turnaroundHours: 24,
      maxRevisions: 3,
      quotaLimit: 0,
    },
    priceMicros: 2_000_000n,
    previousPriceMicros,
    previousTerms: { priceType, title: 'An icon', category: 'image_gen', turnaroundHours: 48, maxRevisions: 1, quotaLimit: 0 },
    priceChangedAt,
    offeredSince: ago(3600),
    previousOfferedSince: null,
  });

  test('a price that changed is honoured for ten minutes after the change', () => {
    const rows: readonly (readonly [bigint | null, Date | null, readonly bigint[]])[] = [
      [null, null, [2_000_000n]],
      [1_000_000n, ago(0), [2_000_000n, 1_000_000n]],
      [1_000_000n, ago(600), [2_000_000n, 1_000_000n]],
      [1_000_000n, ago(601), [2_000_000n]],
      [0n, ago(1), [2_000_000n]],
    ];
    for (const [previous, at, prices] of rows)
      assert.deepEqual(
        honouredPrices(service(previous, at), now).map(({ listMicros }) => listMicros),
        prices,
      );
  });

  test('a price that changed buys its former terms, and nothing where machines could not pay it', () => {
    const [today, before] = honouredPrices(service(1_000_000n, ago(1)), now);
    assert.deepEqual([today?.terms.title, today?.terms.turnaroundHours], ['A logo', 24]);
    assert.deepEqual([before?.terms.title, before?.terms.turnaroundHours, before?.terms.maxRevisions], ['An icon', 48, 1]);
    for (const priceType of ['quote', 'weekly', 'monthly'])
      assert.equal(honouredPrices(service(1_000_000n, ago(1), priceType), now).length, 1, priceType);
  });
});

test('the fingerprint of a hire changes with every field, but not with the order of its answers', () => {
  const request = {
    service: { id: 'svc_1' },
    brief: 'A',
    referenceUrls: ['https://a.example'],
    requirementAnswers: { a: 1, b: 2 },
    settlement: 'instant',
  } as const;
  const print = (change: Partial<Parameters<typeof fingerprintOfHire>[0]> = {}) =>
    fingerprintOfHire({ ...request, ...change }).toString('hex');
  assert.equal(print({ requirementAnswers: { b: 2, a: 1 } }), print());
  const others = [
    print({ service: { id: 'svc_2' } }),
    print({ brief: 'B' }),
    print({ referenceUrls: [] }),
    print({ requirementAnswers: null }),
    print({ requirementAnswers: { a: 1, b: '2' } }),
    print({ settlement: 'on_approval' }),
  ];
  assert.equal(new Set([print(), ...others]).size, others.length + 1);
});
