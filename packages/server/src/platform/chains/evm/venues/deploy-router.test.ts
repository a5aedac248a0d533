import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from 'viem';
import { refusedFor, startTestChain, USDC } from '../../../../../testing/evm-test-chain.ts';
import {
  allowNow,
  carryOut,
  depositOf,
  lendVault,
  redeemOf,
  resultNow,
  untilDecided,
  venuesOf,
} from '../../../../../testing/venue-test-bench.ts';

test('the treasury deploys the router once, at a predictable address, and it works there', async () => {
  const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
  const deployer = evm.chain.earnRouter;
  assert.ok(deployer);
  assert.match((await deployer.check(deployer.address)) ?? '', /no router at/);
  assert.ok((await deployer.estimate()) > 0n);
  const signed = await deployer.sign();
  await evm.chain.broadcast(signed);
  await evm.included(signed.reference as Hex);
  assert.equal(await deployer.check(deployer.address), undefined);
  await assert.rejects(deployer.sign(), refusedFor('other'));

  const at = { ...lendVault, router: deployer.address };
  assert.equal(await venuesOf(evm.chain).check(at), undefined);
  const { units } = await resultNow(evm.chain, depositOf(at, 100n * USDC, 1n));
  await allowNow(evm.chain, at);
  await resultNow(evm.chain, redeemOf(at, units, 1n));
});

/** The decision record states these figures. */
test('a deposit costs less than 250,000 gas and a redemption less than 200,000', async (t) => {
  const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
  const gasOf = async (reference: string) => (await evm.reader.getTransactionReceipt({ hash: reference as Hex })).gasUsed;
  const deployment = await evm.chain.earnRouter?.sign();
  assert.ok(deployment);
  await evm.chain.broadcast(deployment);
  await evm.included(deployment.reference as Hex);
  const gas = [['deployment', await gasOf(deployment.reference)]] as [string, bigint][];
  const run = async (name: string, call: Parameters<typeof carryOut>[1]) => {
    const { signed } = await carryOut(evm.chain, call);
    gas.push([name, await gasOf(signed.reference)]);
    await untilDecided(evm.chain, call, signed);
  };
  await run('first deposit', depositOf(lendVault, 100n * USDC, 1n));
  await run('later deposit', depositOf(lendVault, 100n * USDC, 1n));
  await run('allowance', { kind: 'allow', intentId: 'evi_allow', at: lendVault });
  await run('redemption', redeemOf(lendVault, 10n ** 13n, 1n));
  for (const [name, used] of gas) t.diagnostic(`${name}: ${used}`);
  const most = new Map(gas);
  assert.ok((most.get('later deposit') ?? 0n) < 250_000n);
  assert.ok((most.get('redemption') ?? 0n) < 200_000n);
});
