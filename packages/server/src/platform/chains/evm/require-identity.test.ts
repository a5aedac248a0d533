import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestChain, type TestChain } from '../../../../testing/evm-test-chain.ts';

suite('the identity check of a node', () => {
  let evm: TestChain;
  before(async () => {
    evm = await startTestChain();
  });

  test('the identity check accepts the right chain id and pinned block', async () => {
    const { number, hash } = await evm.reader.getBlock({ blockNumber: 0n });
    await evm.chain.requireIdentity();
    await evm.adapt({ identity: { blockNumber: number, blockHash: hash.toUpperCase().replace('0X', '0x') } }).requireIdentity();
  });

  test('the identity check refuses another chain id', async () => {
    await assert.rejects(evm.adapt({ chainId: 1 }).requireIdentity(), /serves chain 8453, not 1/);
  });

  test('the identity check refuses another pinned block with the right chain id', async () => {
    const blockHash = `0x${'3'.repeat(64)}`;
    await assert.rejects(evm.adapt({ identity: { blockNumber: 0n, blockHash } }).requireIdentity(), /another block 0/);
    await assert.rejects(evm.adapt({ identity: { blockNumber: 10n ** 6n, blockHash } }).requireIdentity(), /another block 1000000/);
  });

  test('the identity check refuses a USDC contract that would reject our signatures', async () => {
    await assert.rejects(evm.adapt({ usdcDomain: { name: 'USDC', version: '2' } }).requireIdentity(), /not the USDC we sign for/);
    await assert.rejects(evm.adapt({ usdcAddress: evm.options.treasury.address }).requireIdentity(), /no USDC contract/);
  });
});

test('references and addresses have one accepted spelling', async () => {
  const { chain } = await startTestChain();
  const hash = `0x${'aB'.repeat(32)}`;
  assert.equal(chain.canonicalReference(`  ${hash}\t`), hash.toLowerCase());
  assert.equal(chain.canonicalReference(hash.toUpperCase()), hash.toLowerCase());
  for (const wrong of [
    '',
    hash.slice(2),
    hash.slice(0, 65),
    `${hash}0`,
    `0x${'g'.repeat(64)}`,
    `${hash.slice(0, 30)} ${hash.slice(30)}`,
    '5'.repeat(88),
  ]) {
    assert.equal(chain.canonicalReference(wrong), undefined, wrong);
  }
  const address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  for (const spelling of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
    assert.equal(chain.canonicalAddress(spelling), address);
  for (const wrong of ['', address.slice(2), `${address}0`, address.slice(0, 41), ` ${address}`])
    assert.equal(chain.canonicalAddress(wrong), undefined);
});
