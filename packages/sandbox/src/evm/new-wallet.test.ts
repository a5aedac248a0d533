import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { EvmNode } from './node.ts';
import { connect, createPayer, createTestFolder, ETHER, randomAddress, startTestNode, usdc } from './test-node.ts';

const MICROS = 1_000_000_000n;

async function readCoins(node: EvmNode, address: Address): Promise<{ usdc: bigint; ether: bigint }> {
  const client = connect(node);
  const balance = await client.readContract({ ...usdc, functionName: 'balanceOf', args: [address] });
  return { usdc: balance, ether: await client.getBalance({ address }) };
}

test('the EVM faucet gives a new wallet USDC and ether once', async (t) => {
  const node = await startTestNode(t);
  const wallet = randomAddress();
  for (let start = 0; start < 3; start++) {
    await node.fundNewWallet(wallet, MICROS, ETHER);
    assert.deepEqual(await readCoins(node, wallet), { usdc: MICROS, ether: ETHER });
  }
});

for (const accepted of [0, 1, 2]) {
  test(`a crash after ${accepted} of the faucet's two EVM transactions, before their block, still funds the wallet once`, async (t) => {
    const stateFolder = await createTestFolder(t);
    const wallet = randomAddress();
    const first = await startTestNode(t, { stateFolder });
    await first.fundNewWallet(wallet, MICROS, ETHER);
    await first.close();
    const journal = join(stateFolder, 'journal.jsonl');
    const gifts = (await readFile(journal, 'utf8')).split('\n').filter((line) => line.startsWith('{"tx"'));
    assert.equal(gifts.length, 2);
    await writeFile(
      journal,
      gifts.slice(0, accepted).map((line) => `${line}\n`),
    );

    const second = await startTestNode(t, { stateFolder, blockMilliseconds: 100 });
    await second.fundNewWallet(wallet, MICROS, ETHER);
    assert.deepEqual(await readCoins(second, wallet), { usdc: MICROS, ether: ETHER });
  });
}

test('the EVM faucet gives a wallet that has only its USDC the ether, and no second USDC', async (t) => {
  const node = await startTestNode(t);
  const wallet = randomAddress();
  await node.fundUsdc(wallet, MICROS);
  await node.fundNewWallet(wallet, MICROS, ETHER);
  assert.deepEqual(await readCoins(node, wallet), { usdc: MICROS, ether: ETHER });
});

test('the EVM faucet gives nothing more to a wallet whose USDC was spent by a signed authorisation', async (t) => {
  const node = await startTestNode(t);
  const account = privateKeyToAccount(generatePrivateKey());
  await node.fundNewWallet(account.address, MICROS, ETHER);
  const message = {
    from: account.address,
    to: randomAddress(),
    value: MICROS,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000)) + 3600n,
    nonce: generatePrivateKey(),
  };
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: base.id, verifyingContract: usdc.address },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { from, to, value, validAfter, validBefore, nonce } = message;
  const relay = await createPayer(node);
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  const hash = await relay.writeContract({ ...usdc, functionName: 'transferWithAuthorization', args });
  await connect(node).waitForTransactionReceipt({ hash });
  await node.fundNewWallet(account.address, MICROS, ETHER);
  assert.deepEqual(await readCoins(node, account.address), { usdc: 0n, ether: ETHER });
});

test('the EVM faucet gives nothing more to a wallet that spent its last ether', async (t) => {
  const node = await startTestNode(t);
  const wallet = await createPayer(node, { wei: ETHER });
  const fee = 10n ** 9n;
  const hash = await wallet.sendTransaction({
    to: randomAddress(),
    value: ETHER - 21_000n * fee,
    gas: 21_000n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
  });
  await connect(node).waitForTransactionReceipt({ hash });
  assert.deepEqual(await readCoins(node, wallet.account.address), { usdc: 0n, ether: 0n });
  await node.fundNewWallet(wallet.account.address, MICROS, ETHER);
  assert.deepEqual(await readCoins(node, wallet.account.address), { usdc: 0n, ether: 0n });
});
