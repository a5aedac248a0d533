import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earnRouter, sandboxUsdc } from '@market/sandbox/evm';
import { type Abi, erc4626Abi } from 'viem';
import { toEventSelector, toFunctionSelector } from 'viem/utils';
import { aavePoolAbi, routerAbi, venueAbi } from './venue-abi.ts';

function selectorsOf(abi: Abi): Record<string, string> {
  const functions = abi.filter((item) => item.type === 'function');
  return Object.fromEntries(functions.map((item) => [item.name, toFunctionSelector(item)]));
}

/** Selectors as published: EIP-20, EIP-4626, OpenZeppelin's Pausable, Aave's IPool and IStataTokenV2 (aave-dao/aave-v3-origin). */
const published = {
  asset: '0x38d52e0f',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  allowance: '0xdd62ed3e',
  approve: '0x095ea7b3',
  totalAssets: '0x01e1d114',
  convertToAssets: '0x07a2d13a',
  maxDeposit: '0x402d267d',
  maxWithdraw: '0xce96cb77',
  maxRedeem: '0xd905777e',
  previewDeposit: '0xef8b30f7',
  deposit: '0x6e553f65',
  redeem: '0xba087652',
  paused: '0x5c975abb',
  aToken: '0xa0c1f15e',
} as const;

test('the adapter asks vaults by the published selectors of ERC-4626', () => {
  const used = selectorsOf(venueAbi);
  for (const [name, selector] of Object.entries(published)) assert.equal(used[name], selector, name);
  const standard = selectorsOf(erc4626Abi);
  for (const name of Object.keys(published)) if (name in standard) assert.equal(used[name], standard[name], name);
});

test('the adapter asks Aave’s Pool by its published selectors, and reads fifteen words of a reserve', () => {
  assert.deepEqual(selectorsOf(aavePoolAbi), { getReserveData: '0x35ea6a75', getVirtualUnderlyingBalance: '0x6fb07f96' });
  const [answer] = aavePoolAbi.find((item) => item.type === 'function' && item.name === 'getReserveData')?.outputs ?? [];
  assert.equal(answer && 'components' in answer ? answer.components.length : 0, 15);
});

test('the adapter calls the router as it was compiled, and the router calls USDC as it is on Base', () => {
  const compiled = selectorsOf(earnRouter.abi);
  for (const [name, selector] of Object.entries(selectorsOf(routerAbi))) assert.equal(compiled[name], selector, name);
  const topics = (abi: Abi) => abi.filter((item) => item.type === 'event').map((item) => [item.name, toEventSelector(item)]);
  assert.deepEqual(topics(routerAbi).sort(), topics(earnRouter.abi).sort());
  // receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes), as of FiatTokenV2_2.
  assert.ok(earnRouter.runtimeCode.includes('88b7ab63'));
  assert.ok(sandboxUsdc.abi.some((item) => item.type === 'function' && toFunctionSelector(item) === '0x88b7ab63'));
});
