import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MarketError, type NetworkName } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import { type NamedNetwork, networkChosen } from './challenge-options.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const caip2 = { 'base-mainnet': 'eip155:8453', 'alt-mainnet': 'eip155:845311453', 'solana-mainnet': SOLANA };
const chains = new Map(
  Object.entries(caip2).map(([network, id]) => [network as NetworkName, { network, caip2: id } as unknown as Chain] as const),
);
const refusalOf = (named: NamedNetwork): MarketError => {
  try {
    networkChosen(named, chains);
  } catch (error) {
    if (error instanceof MarketError) return error;
  }
  return assert.fail('it was taken');
};

suite('the network that a buyer names', () => {
  const names: Record<NetworkName, readonly string[]> = {
    'base-mainnet': ['base-mainnet', 'BASE', ' base ', 'eip155:8453'],
    'alt-mainnet': ['alt-mainnet', 'alt', 'EIP155:845311453'],
    'solana-mainnet': ['solana-mainnet', 'solana', 'solana-mainnet-beta', SOLANA],
  };
  for (const field of ['chain', 'x_payment_network', 'payment_chain'] as const) {
    test(`the network that a buyer names is found by every name, in ${field}`, () => {
      for (const [network, spellings] of Object.entries(names)) {
        for (const name of spellings) assert.equal(networkChosen({ [field]: name }, chains), network, name);
      }
      for (const name of ['', '  ', undefined]) assert.equal(networkChosen({ [field]: name }, chains), undefined);
    });
  }

  test('the network that a buyer names is refused when unknown, and the answer lists the known names', () => {
    for (const name of ['ethereum', 'eip155:1', 'base-sepolia', '__proto__']) {
      const { code, message } = refusalOf({ x_payment_network: name });
      assert.equal(code, 'invalid_input');
      for (const allowed of ['X-Payment-Network', 'solana-mainnet', 'alt', 'eip155:845311453'])
        assert.ok(message.includes(allowed), message);
    }
  });

  test('the network that a buyer names is refused when two fields name different networks', () => {
    assert.match(
      refusalOf({ chain: 'base', x_payment_network: 'solana' }).message,
      /chain names base-mainnet.*X-Payment-Network names solana-mainnet/,
    );
    assert.equal(networkChosen({ chain: 'base', x_payment_network: 'eip155:8453', payment_chain: 'base' }, chains), 'base-mainnet');
  });
});
