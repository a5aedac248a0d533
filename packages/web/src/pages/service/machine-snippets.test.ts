import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineSnippets, machineTotal } from './machine-snippets.ts';

test('a machine pays the list price plus ten percent, to the micro', () => {
  assert.equal(machineTotal('180.00'), '198.00');
  assert.equal(machineTotal('0.000005'), '0.000006');
});

test('snippets name the service, the API and the cost; the Base client only where Base is served', () => {
  const service = { id: 'svc_1', priceUsd: '6.00' };
  const snippets = machineSnippets(service, 'https://market.example', ['base-mainnet']);
  assert.deepEqual(
    snippets.map(({ id }) => id),
    ['curl', 'sdk', 'x402', 'raw'],
  );
  for (const { code } of snippets) assert.match(code, /svc_1/);
  assert.match(snippets[0]?.code ?? '', /6\.60 USDC/);
  assert.match(snippets[3]?.code ?? '', /"6600000"/);
  assert.equal(machineSnippets(service, 'https://market.example', ['solana-mainnet']).length, 3);
});
