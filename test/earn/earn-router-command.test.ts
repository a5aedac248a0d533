/** `market earn-router` beside a running sandbox. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runMarketCommand } from '../harness/market-command.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true });
});
after(() => shared.close());

async function market(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const command = runMarketCommand(['earn-router', ...args], shared.settings);
  return { code: await command.ended, output: command.output() };
}

test('`market earn-router check` finds the sandbox’s vaults sound', async () => {
  const { code, output } = await market('check');
  assert.equal(code, 0, output);
  assert.match(output, /lend_a:usdc on base-mainnet: sound/);
  assert.match(output, /usdc-traders on base-mainnet: sound/);
});

test('`market earn-router deploy` names address and cost first, and deploys once with --yes', async () => {
  const plan = await market('deploy');
  assert.match(plan.output, /costs about 0\.\d+ ETH on base-mainnet/);
  assert.match(plan.output, /Nothing was sent/);
  const done = await market('deploy', '--yes');
  assert.match(done.output, /Deployed in 0x[0-9a-f]{64}/);
  const address = /EARN_ROUTER_EVM_ADDRESS=(0x[0-9a-fA-F]{40})/.exec(done.output)?.[1];
  assert.ok(address);
  assert.match((await market('deploy', '--yes')).output, new RegExp(`is at ${address} on base-mainnet already`));
});

test('`market earn-router` explains a wrong call', async () => {
  assert.equal((await market('burn')).code, 2);
  assert.equal((await market('deploy', '--now')).code, 2);
});
