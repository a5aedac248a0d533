import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineSnippets, machineTotal } from './machine-snippets.ts';

test('a machine pays the list price plus ten percent, to the micro', () => {
  assert.equal(machineTotal('180.00'), '198.00');
  assert.equal(machineTotal('0.000005'), '0.000006');
});

test('snippets for machines name the service, the API and the cost; the client for Base appears only if Base is served', () => {
  const addresses = { apiUrl: 'https://api.market.example', appUrl: 'https://market.example' };
  const service = { id: 'svc_1', priceUsd: '6.00' };
  const snippets = machineSnippets(service, { ...addresses, networks: ['base-mainnet'] });
  assert.deepEqual(
    snippets.map(({ id }) => id),
    ['curl', 'sdk', 'mcp', 'x402', 'raw'],
  );
  for (const { code } of snippets) assert.match(code, /svc_1/);
  assert.match(snippets[2]?.code ?? '', /https:\/\/market\.example\/mcp/);
  assert.match(snippets[0]?.code ?? '', /6\.60 USDC/);
  assert.match(snippets[4]?.code ?? '', /"6600000"/);
  assert.equal(machineSnippets(service, { ...addresses, networks: ['solana-mainnet'] }).length, 4);
});
