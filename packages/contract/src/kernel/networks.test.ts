import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { namedOnlyNetworks, networkFacts, networkNames, networkOfChain, payoutNetworks, usualNetwork } from './networks.ts';

const all = networkNames.map((name) => networkFacts[name]);

test('no two networks share a name, a chain, a setting or a local port', () => {
  const words = all.flatMap(({ name, chain, aliases }) => [...new Set([name, chain, ...aliases])]);
  const columns = {
    words,
    caip2: all.flatMap(({ caip2 }) => caip2 ?? []),
    local: all.map(({ local }) => local.caip2),
    ports: all.map(({ local }) => local.port),
    settings: all.map(({ setting }) => setting),
    paymentMethods: all.map(({ paymentMethod }) => paymentMethod),
    x402v1Names: all.flatMap(({ x402v1Name }) => x402v1Name ?? []),
    payoutChains: all.flatMap(({ payoutChain }) => payoutChain ?? []),
  };
  for (const [column, values] of Object.entries(columns)) assert.equal(new Set<string | number>(values).size, values.length, column);
});

test('every chain id has the form of its kind, and chain id and USDC address are set or omitted together', () => {
  for (const { name, kind, caip2, usdcAddress, local } of all) {
    const form = kind === 'evm' ? /^eip155:\d+$/ : /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/;
    assert.match(local.caip2, form, name);
    if (caip2 !== null) assert.match(caip2, form, name);
    assert.equal(caip2 === null, usdcAddress === null, `${name}: chain id and USDC contract belong together`);
  }
});

test('every kind of network has a default, and every payout chain maps to one network', () => {
  for (const [kind, name] of Object.entries(usualNetwork)) assert.equal(networkFacts[name].kind, kind);
  assert.deepEqual(payoutNetworks, { solana: 'solana-mainnet', base: 'base-mainnet' });
  assert.deepEqual(namedOnlyNetworks, ['alt-mainnet']);
  for (const { chain, name } of all) assert.equal(networkOfChain(chain), name);
});

test('no product file besides networks.ts has a table keyed by network', async () => {
  const root = join(import.meta.dirname, '../../../..');
  const key = new RegExp(`(?:'(?:${networkNames.join('|')})'|\\b(?:base|alt))\\s*:\\s*['"\`{[]`);
  const found: string[] = [];
  for await (const file of glob('packages/*/src/**/*.{ts,tsx}', { cwd: root })) {
    if (/\.test\.tsx?$|kernel\/networks\.ts$|examples\.ts$/.test(file)) continue;
    const lines = (await readFile(join(root, file), 'utf8')).split('\n');
    found.push(...lines.flatMap((line, index) => (key.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])));
  }
  assert.deepEqual(found, []);
});
