import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MarketError, type NetworkName } from '@market/contract';
import type { X402Context } from '../x402-context.ts';
import { challenge } from './challenge.ts';
import type { ChallengeOptions } from './challenge-options.ts';
import type { Offer } from './offers.ts';

const names: readonly NetworkName[] = ['base-mainnet', 'alt-mainnet', 'solana-mainnet'];
const offer: Offer = {
  amountMicros: 5_500_000n,
  description: 'Märket: A "logo" (svc_1)',
  resource: 'https://market.example/api/orders',
  tags: ['custom'],
};

function contextOf(networks: readonly NetworkName[], sponsored = networks): X402Context {
  const chains = networks.map(
    (network) => [network, { network, caip2: `id:${network}`, usdcAddress: 'usdc', treasury: 'treasury' }] as const,
  );
  const facilitator = { networks: sponsored, extraOf: () => ({}) };
  const clock = { now: () => new Date(0), realNow: () => new Date(0) };
  return {
    chains: new Map(chains),
    facilitator,
    clock,
    serviceName: 'Märket ☂',
    baseUrl: 'https://market.example',
  } as unknown as X402Context;
}

const asked = (more: Partial<ChallengeOptions> = {}): ChallengeOptions => ({
  form: 'accepts',
  network: undefined,
  url: 'https://market.example/api/x402/discover/svc_1',
  offersUrl: '/api/x402/offers?at=discover&service_id=svc_1',
  method: 'GET',
  ...more,
});

const headerOf = ({ headers }: MarketError) => JSON.parse(Buffer.from(headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString());

suite('a challenge', () => {
  test('a challenge is a 402 that forbids caching and carries the standard challenge in its header', () => {
    const error = challenge(contextOf(names), offer, asked());
    assert.deepEqual([error.status, error.headers['Cache-Control']], [402, 'private, no-store']);
    const { accepts, x402Version } = error.body as { accepts: { network: string; maxAmountRequired: string }[]; x402Version: number };
    assert.deepEqual([x402Version, accepts.map(({ network }) => network)], [1, names]);
    const header = headerOf(error);
    assert.equal(header.x402Version, 2);
    for (const [index, offer] of header.accepts.entries()) assert.equal(offer.amount, accepts[index]?.maxAmountRequired);
    assert.match(header.resource.serviceName, /^[\x20-\x7e]+$/);
  });

  test('a challenge offers standard payments only on networks with a sponsor for the fee', () => {
    const some = headerOf(challenge(contextOf(names, ['solana-mainnet']), offer, asked()));
    assert.deepEqual(
      some.accepts.map(({ network }: { network: string }) => network),
      ['id:solana-mainnet'],
    );
    assert.equal('PAYMENT-REQUIRED' in challenge(contextOf(names, []), offer, asked()).headers, false);
  });

  test('a challenge in the flat form is one requirement for the chosen network, which must be served', () => {
    const error = challenge(contextOf(names), offer, asked({ form: 'flat', network: 'solana-mainnet' }));
    assert.deepEqual([error.body?.['network'], error.headers['X-Payment-Network']], ['solana-mainnet', 'solana-mainnet']);
    const missing = () => challenge(contextOf(['base-mainnet']), offer, asked({ form: 'flat', network: 'solana-mainnet' }));
    assert.throws(missing, (thrown) => thrown instanceof MarketError && thrown.code === 'network_not_available');
  });

  test('a challenge without any network answers 503', () => {
    const error = challenge(contextOf([]), offer, asked());
    assert.deepEqual([error.code, error.status], ['no_payment_network', 503]);
  });

  test('the challenge of a refused payment names the reason and keeps the receipt', () => {
    const error = challenge(contextOf(names), offer, asked(), {
      code: 'payment_rejected',
      message: 'too little',
      headers: { 'PAYMENT-RESPONSE': 'x' },
    });
    assert.deepEqual([error.code, error.body?.['error'], error.headers['PAYMENT-RESPONSE']], ['payment_rejected', 'too little', 'x']);
    assert.equal(headerOf(error).error, 'too little');
  });
});
