import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, address, generateKeyPairSigner, lamports, type Signature, signature } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { startSolanaNode } from './node.ts';
import { createClient, createFolder, createWallet, startNode } from './test-client.ts';

/** Starts a node in its own process, which the test can kill. */
async function startNodeProcess(
  t: TestContext,
  stateFolder: string,
  shellPrefix = '',
): Promise<{ url: string; wsUrl: string; process: ChildProcess }> {
  const code = `
    import { startSolanaNode } from ${JSON.stringify(new URL('./node.ts', import.meta.url).href)};
    const confirmations = { confirmed: 1, finalized: 5 };
    const { url, wsUrl } = await startSolanaNode({ port: 0, stateFolder: ${JSON.stringify(stateFolder)}, slotMilliseconds: 30, confirmations });
    console.log(JSON.stringify({ url, wsUrl }));`;
  const command = `${shellPrefix} exec "$0" --input-type=module --eval "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { ...(JSON.parse(line.toString()) as { url: string; wsUrl: string }), process: child };
}

describe('a stopped chain', () => {
  it('a stopped Solana chain restarts with balances, history, time and blockhashes', async (t) => {
    const stateFolder = createFolder(t);
    const first = await startNode(t, { stateFolder });
    await first.advance(86_400);
    const client = createClient(first);
    const wallet = await createWallet(first, client);
    const { address: friend } = await generateKeyPairSigner();
    const sent = await client.send(wallet, [getTransferSolInstruction({ source: wallet, destination: friend, amount: 3_000_000n })]);
    const seen = await client.rpc
      .getTransaction(sent, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 })
      .send();
    const { value: lifetime } = await client.rpc.getLatestBlockhash().send();
    const slot = await client.rpc.getSlot({ commitment: 'processed' }).send();
    await first.close();

    const second = await startNode(t, { stateFolder });
    const { rpc, getUsdc, findStatus } = createClient(second);
    assert.equal(second.genesisHash, first.genesisHash);
    assert.equal((await rpc.getBalance(friend).send()).value, 3_000_000n);
    assert.equal(await getUsdc(wallet.address), 1_000_000_000n);
    assert.equal((await findStatus(sent))?.err, null);
    assert.deepEqual(
      await rpc.getTransaction(sent, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }).send(),
      seen,
    );
    assert.equal((await rpc.getSignaturesForAddress(wallet.address).send()).length, 3);
    assert.equal((await rpc.isBlockhashValid(lifetime.blockhash).send()).value, true);
    const resumed = await rpc.getSlot({ commitment: 'processed' }).send();
    assert.ok(resumed >= slot);
    assert.ok(Number(await rpc.getBlockTime(resumed - 1n).send()) > Date.now() / 1000 + 86_300);
    assert.equal(await second.fundUsdc(friend, 1n).then(typeOf), 'string');
  });

  it('a stopped Solana chain continues its slots at another pace, also when the clock was set back', async (t) => {
    const stateFolder = createFolder(t);
    let now = 1_790_000_000_000;
    const options = { stateFolder, now: () => now };
    const readSlot = async (url: string) =>
      Number(
        await createClient({ url, wsUrl: url.replace('http', 'ws') })
          .rpc.getSlot({ commitment: 'processed' })
          .send(),
      );
    const first = await startNode(t, { ...options, slotMilliseconds: 10 });
    now += 5000;
    const before = await readSlot(first.url);
    await first.fundNative((await generateKeyPairSigner()).address, 1_000_000n);
    await first.close();
    now -= 3_600_000;
    const second = await startNode(t, { ...options, slotMilliseconds: 1000 });
    const resumed = await readSlot(second.url);
    assert.ok(resumed > before);
    now += 10_000;
    assert.equal(await readSlot(second.url), resumed + 10);
  });

  it('a Solana node killed repeatedly under load loses no acknowledged transaction', { timeout: 40_000 }, async (t) => {
    const stateFolder = createFolder(t);
    const recipients = await Promise.all(Array.from({ length: 4 }, async () => (await generateKeyPairSigner()).address));
    const acknowledged: Signature[] = [];
    for (let round = 0; round < 3; round++) {
      const running = await startNodeProcess(t, stateFolder);
      const { rpc } = createClient(running);
      const senders = recipients.map((recipient) => sendUntilDead(rpc, recipient, acknowledged));
      await sleep(300 + 70 * round);
      running.process.kill('SIGKILL');
      await Promise.all(senders);
    }
    assert.ok(acknowledged.length > 30, `only ${acknowledged.length} transactions were sent`);

    const { rpc, waitUntil } = createClient(await startNode(t, { stateFolder }));
    for (const sent of acknowledged) await waitUntil(sent, 'finalized');
    let landed = 0;
    for (const recipient of recipients) {
      const { length } = await rpc.getSignaturesForAddress(recipient).send();
      assert.equal((await rpc.getBalance(recipient).send()).value, BigInt(length) * 1_000_000n);
      landed += length;
    }
    assert.ok(landed >= acknowledged.length && landed <= acknowledged.length + 3 * recipients.length);
    assert.equal(new Set(acknowledged).size, acknowledged.length);
  });
});

describe('a full disk', () => {
  it('a full disk makes the Solana node unhealthy: it refuses transactions, keeps answering, and loses no acknowledged one', async (t) => {
    const stateFolder = createFolder(t);
    const limited = await startNodeProcess(t, stateFolder, 'ulimit -f 64;');
    const client = createClient(limited);
    const { address: recipient } = await generateKeyPairSigner();
    const acknowledged: Signature[] = [];
    await sendUntilDead(client.rpc, recipient, acknowledged);
    assert.ok(acknowledged.length > 5);
    const given = async ({ rpc }: typeof client) => (await rpc.getBalance(recipient, { commitment: 'processed' }).send()).value;
    assert.equal(await given(client), BigInt(acknowledged.length) * 1_000_000n);
    await assert.rejects(client.rpc.getHealth().send(), /unhealthy|-32005/);
    await assert.rejects(client.rpc.requestAirdrop(recipient, lamports(1_000_000n)).send(), /unhealthy|-32005/);
    limited.process.kill('SIGKILL');
    await once(limited.process, 'exit');
    const unlimited = createClient(await startNode(t, { stateFolder }));
    for (const sent of acknowledged) await unlimited.waitUntil(sent);
    assert.equal(await given(unlimited), BigInt(acknowledged.length) * 1_000_000n);
  });
});

function typeOf(value: unknown): string {
  return typeof value;
}

type Rpc = ReturnType<typeof createClient>['rpc'];

async function sendUntilDead(rpc: Rpc, recipient: Address, acknowledged: Signature[]): Promise<void> {
  try {
    for (;;) acknowledged.push(await rpc.requestAirdrop(recipient, lamports(1_000_000n)).send());
  } catch {
    // the test killed the node
  }
}

describe('the folder of a chain', () => {
  it('the folder of a Solana chain serves one node at a time, across processes', async (t) => {
    const stateFolder = createFolder(t);
    const node = await startNode(t, { stateFolder });
    const refusal = /Another process runs the chain in .*Stop it first/;
    await assert.rejects(startSolanaNode({ port: 0, stateFolder }), refusal);
    await node.close();
    const elsewhere = await startNodeProcess(t, stateFolder);
    await assert.rejects(startSolanaNode({ port: 0, stateFolder }), refusal);
    elsewhere.process.kill('SIGKILL');
    await once(elsewhere.process, 'exit');
    await startNode(t, { stateFolder });
  });

  it('the folder of a Solana chain hides the faucet key from other users', async (t) => {
    const stateFolder = createFolder(t);
    await startNode(t, { stateFolder });
    assert.equal(statSync(join(stateFolder, 'faucet.json')).mode & 0o777, 0o600);
    assert.equal(statSync(join(stateFolder, 'chain.log')).mode & 0o777, 0o600);
  });

  it('the log of a Solana chain may have a truncated last line; any other damage is reported', async (t) => {
    const stateFolder = createFolder(t);
    const file = join(stateFolder, 'chain.log');
    const { address: recipient } = await generateKeyPairSigner();
    const first = await startNode(t, { stateFolder });
    const kept = await first.fundNative(recipient, 5_000_000n);
    await first.close();
    const size = statSync(file).size;
    appendFileSync(file, readFileSync(file).subarray(size - 700, size - 300));

    const second = await startNode(t, { stateFolder });
    assert.equal(statSync(file).size, size);
    const lost = signature(await second.fundNative(recipient, 5_000_000n));
    await second.close();
    truncateSync(file, statSync(file).size - 1);
    const third = await startNode(t, { stateFolder });
    const { findStatus } = createClient(third);
    assert.notEqual(await findStatus(signature(kept)), null);
    assert.equal(await findStatus(lost), null);
    await third.close();

    const damaged = readFileSync(file, 'utf8').split('\n');
    damaged[0] = damaged[0]?.slice(20) ?? '';
    writeFileSync(file, damaged.join('\n'));
    await assert.rejects(startSolanaNode({ port: 0, stateFolder }), /damaged at byte \d+\. Restore it, or remove its folder/);
  });

  it('the folder of a Solana chain is refused if its faucet key is of another chain', async (t) => {
    const [stateFolder, other] = [createFolder(t), createFolder(t)];
    await (await startNode(t, { stateFolder })).close();
    await (await startNode(t, { stateFolder: other })).close();
    writeFileSync(join(stateFolder, 'faucet.json'), readFileSync(join(other, 'faucet.json')));
    await assert.rejects(startSolanaNode({ port: 0, stateFolder }), /is not the faucet of the chain beside it/);
  });
});

describe('the start of a node', () => {
  it('a Solana node that finds its port taken names it', async (t) => {
    const node = await startNode(t);
    const port = Number(new URL(node.url).port);
    await assert.rejects(startSolanaNode({ port, stateFolder: createFolder(t) }), new RegExp(`Port ${port} on 127.0.0.1 is in use`));
  });

  it('a Solana node names the remedy when the native engine is missing', async () => {
    const code = `import { startSolanaNode } from ${JSON.stringify(new URL('./node.ts', import.meta.url).href)};
      await startSolanaNode({ port: 0, stateFolder: '/nonexistent' });`;
    const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: '/nonexistent.node' };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [output, [exitCode]] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'exit')]);
    assert.notEqual(exitCode, 0);
    assert.match(output.join(''), /litesvm has no native binary for \S+ here.*run `npm install` again/);
  });

  it('a new Solana node has the USDC mint at its mainnet address', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    await createWallet(node, client);
    const mint = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
    assert.deepEqual((await client.rpc.getTokenSupply(mint).send()).value, {
      amount: '1000000000',
      decimals: 6,
      uiAmount: 1000,
      uiAmountString: '1000',
    });
  });
});
