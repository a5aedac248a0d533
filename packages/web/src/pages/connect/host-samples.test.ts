import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySamples, signInSamples, stdioSamples } from './host-samples.ts';

const addresses = { mcpUrl: 'https://market.example/mcp', apiUrl: 'https://api.market.example' };

test('every sample for an MCP host contains its URL; samples with sign-in ask for no key', () => {
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

test('a sample for a JSON file stays valid JSON when copied', () => {
  const all = [signInSamples, keySamples, stdioSamples].flatMap((samplesOf) => samplesOf(addresses));
  const files = all.filter(({ where }) => where?.endsWith('.json'));
  assert.equal(files.length, 10);
  for (const { code } of files) assert.doesNotThrow(() => JSON.parse(code));
  assert.match(files.at(-1)?.code ?? '', /"args": \["-y", "@market\/cli", "mcp"\]/);
});
