import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { getCloseAccountInstruction, getTransferInstruction } from '@solana-program/token';
import { createClient, createFolder, createUsdcAccount, startNode, usdcAccount } from './test-client.ts';

const MICROS = 1_000_000_000n;
const LAMPORTS = 10_000_000_000n;

test('the Solana faucet gives a new wallet USDC and SOL once in one transaction, also after a restart', async (t) => {
  const stateFolder = createFolder(t);
  const { address: wallet } = await generateKeyPairSigner();
  for (let start = 0; start < 2; start++) {
    const node = await startNode(t, { stateFolder });
    const { rpc } = createClient(node);
    await node.fundNewWallet(wallet, MICROS, LAMPORTS);
    await node.fundNewWallet(wallet, MICROS, LAMPORTS);
    assert.equal((await rpc.getBalance(wallet, { commitment: 'processed' }).send()).value, LAMPORTS);
    const { value } = await rpc.getTokenAccountBalance(await usdcAccount(wallet), { commitment: 'processed' }).send();
    assert.equal(BigInt(value.amount), MICROS);
    await node.advance(1);
    assert.equal((await rpc.getSignaturesForAddress(wallet).send()).length, 1);
    await node.close();
  }
});

test('the Solana faucet gives nothing more to a wallet that spent everything', async (t) => {
  const node = await startNode(t);
  const client = createClient(node);
  const [wallet, { address: friend }] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await node.fundNewWallet(wallet.address, MICROS, LAMPORTS);
  await node.advance(1);
  const [source, destination] = await Promise.all([usdcAccount(wallet.address), usdcAccount(friend)]);
  await client.send(wallet, [
    await createUsdcAccount(wallet, friend),
    getTransferInstruction({ source, destination, authority: wallet, amount: MICROS }),
    getCloseAccountInstruction({ account: source, destination: friend, owner: wallet }),
  ]);
  const { value: left } = await client.rpc.getBalance(wallet.address).send();
  await client.send(wallet, [getTransferSolInstruction({ source: wallet, destination: friend, amount: left - 5_000n })]);
  await node.fundNewWallet(wallet.address, MICROS, LAMPORTS);
  await node.advance(1);
  assert.equal((await client.rpc.getBalance(wallet.address).send()).value, 0n);
  assert.equal((await client.rpc.getAccountInfo(source, { encoding: 'base64' }).send()).value, null);
});

test('the Solana faucet treats a wallet whose coins a reorganisation reverted as new', async (t) => {
  const node = await startNode(t);
  const client = createClient(node);
  const { address: wallet } = await generateKeyPairSigner();
  await node.fundNewWallet(wallet, MICROS, LAMPORTS);
  await node.setFault({ mode: 'reorg' });
  assert.equal((await client.rpc.getBalance(wallet, { commitment: 'processed' }).send()).value, 0n);
  await node.fundNewWallet(wallet, MICROS, LAMPORTS);
  await node.advance(1);
  assert.equal(await client.getUsdc(wallet), MICROS);
});
