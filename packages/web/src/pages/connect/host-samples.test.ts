import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySamples, signInSamples, stdioSamples } from './host-samples.ts';

const addresses = { mcpUrl: 'https://market.example/mcp', apiUrl: 'https://api.market.example' };

test('every sample names the address it needs, and no sample of a sign-in asks for a key', () => {
  for (const { name, code } of signInSamples(addresses)) {
    assert.match(code, /https:\/\/market\.example\/mcp/, name);
    assert.doesNotMatch(code, /market_|API_KEY|Bearer/, name);
  }
  for (const { name, code } of keySamples(addresses)) {
    assert.match(code, /https:\/\/market\.example\/mcp/, name);
    assert.match(code, /market_…|MARKET_API_KEY|market-key/, name);
  }
  for (const { name, code } of stdioSamples(addresses)) {
    assert.match(code, /https:\/\/api\.market\.example/, name);
    assert.match(code, /@market\/cli/, name);
  }
});

test('configuration files are JSON below the line with their name', () => {
  const files = [signInSamples, keySamples, stdioSamples]
    .flatMap((samplesOf) => samplesOf(addresses))
    .filter(({ code }) => code.includes('{\n'));
  const json = files.filter(({ code }) => code.startsWith('// '));
  assert.ok(json.length >= 10);
  for (const { code } of json) {
    const [head = '', ...rest] = code.split('\n');
    assert.match(head, /\.json$/);
    assert.doesNotThrow(() => JSON.parse(rest.join('\n')));
  }
});
