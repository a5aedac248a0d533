import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPairSigner, signature } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { createClient, createFolder, createUsdcAccount, createWallet, startNode, usdcAccount } from './test-client.ts';

describe('a node with an injected fault', () => {
  it('a slow Solana node answers about three seconds late', async (t) => {
    const node = await startNode(t);
    const { rpc } = createClient(node);
    await node.setFault({ mode: 'slow' });
    const begin = performance.now();
    assert.equal(await rpc.getHealth().send(), 'ok');
    const took = performance.now() - begin;
    assert.ok(took > 2900 && took < 15_000, `took ${took} ms`);
    await node.setFault({ mode: 'none' });
  });

  it('a Solana node that is down closes every connection, and recovers after the given time', async (t) => {
    const node = await startNode(t);
    const { rpc } = createClient(node);
    const socket = new WebSocket(node.wsUrl);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    await node.setFault({ mode: 'down' });
    await closed;
    await assert.rejects(rpc.getHealth().send());
    await assert.rejects(fetch(`${node.url}/health`));
    const refused = new WebSocket(node.wsUrl);
    await new Promise((resolve) => refused.addEventListener('error', resolve));
    await node.setFault({ mode: 'down', seconds: 0.2 });
    await sleep(300);
    assert.equal(await rpc.getHealth().send(), 'ok');
  });

  it('a Solana node with drop_tx accepts transactions and loses them', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const wallet = await createWallet(node, client);
    const signed = await client.sign(wallet, [getAddMemoInstruction({ memo: 'lost' })]);
    await node.setFault({ mode: 'drop_tx' });
    const lost = await client.submit(signed);
    await sleep(100);
    assert.equal(await client.findStatus(lost), null);
    await node.setFault({ mode: 'none' });
    assert.equal(await client.submit(signed), lost);
    await client.waitUntil(lost);
  });

  it('a reorg of the local Solana chain reverts transactions that are not final, also across a restart, and accepts them again', async (t) => {
    const stateFolder = createFolder(t);
    const options = { stateFolder, slotMilliseconds: 400, confirmations: { confirmed: 1, finalized: 31 } };
    const node = await startNode(t, options);
    const client = createClient(node);
    const wallet = await createWallet(node, client);
    await node.advance(60);
    const { address: friend } = await generateKeyPairSigner();
    const signed = await client.sign(wallet, [await createUsdcAccount(wallet, friend)]);
    const sent = await client.waitUntil(await client.submit(signed));
    const given = signature(await node.fundUsdc(wallet.address, 500n));
    const account = await usdcAccount(friend);
    const exists = async () =>
      (await client.rpc.getAccountInfo(account, { commitment: 'processed', encoding: 'base64' }).send()).value !== null;
    assert.equal(await exists(), true);

    await node.setFault({ mode: 'reorg' });
    assert.deepEqual([await client.findStatus(sent), await client.findStatus(given)], [null, null]);
    assert.equal(await exists(), false);
    assert.equal((await client.rpc.getBalance(wallet.address, { commitment: 'processed' }).send()).value, 10_000_000_000n);
    assert.equal(await client.getUsdc(wallet.address), 1_000_000_000n);
    assert.equal((await client.rpc.getSignaturesForAddress(wallet.address).send()).length, 2);
    await node.close();

    const again = await startNode(t, options);
    const later = createClient(again);
    assert.equal(await later.findStatus(sent), null);
    assert.equal((await later.rpc.getBalance(wallet.address, { commitment: 'processed' }).send()).value, 10_000_000_000n);
    assert.equal(await later.submit(signed), sent);
    await later.waitUntil(sent);
  });

  it('a Solana node names its faults when given an unknown one, and refuses a clock that runs backwards', async (t) => {
    const node = await startNode(t);
    await assert.rejects(node.setFault({ mode: 'explode' as 'none' }), /one of none, slow, down, drop_tx, reorg/);
    await assert.rejects(node.setFault({ mode: 'slow', seconds: -1 }), /positive/);
    await assert.rejects(node.advance(-1), /forward only/);
    await assert.rejects(node.fundUsdc('not an address', 1n), /not a Solana address/);
    await assert.rejects(node.fundNative('11111111111111111111111111111111', 0n), /positive/);
  });
});
