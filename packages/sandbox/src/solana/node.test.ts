import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  airdropFactory,
  assertIsSendableTransaction,
  assertIsTransactionWithBlockhashLifetime,
  type Base58EncodedBytes,
  createSolanaRpcSubscriptions,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  sendAndConfirmTransactionFactory,
  signature,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { createClient, createUsdcAccount, createWallet, startNode, USDC, usdcAccount } from './test-client.ts';

const isPreflightFailure = (reason: string) => (error: unknown) => {
  assert.ok(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE), String(error));
  assert.match(String(error.cause ?? error), new RegExp(reason));
  return true;
};

describe('an unmodified kit client', () => {
  it('an unmodified kit client gets an airdrop that appears in balance and history', async (t) => {
    const { rpc, rpcSubscriptions } = createClient(await startNode(t));
    const { address: recipientAddress } = await generateKeyPairSigner();
    const airdrop = airdropFactory({ rpc, rpcSubscriptions });
    const given = await airdrop({ recipientAddress, lamports: lamports(7_000_000_000n), commitment: 'confirmed' });
    assert.equal((await rpc.getBalance(recipientAddress).send()).value, 7_000_000_000n);
    const history = await rpc.getSignaturesForAddress(recipientAddress).send();
    assert.deepEqual(
      history.map((entry) => entry.signature),
      [given],
    );
  });

  it('an unmodified kit client sends USDC to a new account with a memo and confirms it over WebSocket', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const { rpc, rpcSubscriptions } = client;
    const buyer = await createWallet(node, client);
    const seller = await generateKeyPairSigner();
    const transaction = await client.sign(buyer, [
      await createUsdcAccount(buyer, seller.address),
      getTransferCheckedInstruction({
        source: await usdcAccount(buyer.address),
        mint: USDC,
        destination: await usdcAccount(seller.address),
        authority: buyer,
        amount: 5_000_000n,
        decimals: 6,
      }),
      getAddMemoInstruction({ memo: 'order 42' }),
    ]);
    assertIsSendableTransaction(transaction);
    assertIsTransactionWithBlockhashLifetime(transaction);
    await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, { commitment: 'finalized' });

    assert.equal(await client.getUsdc(seller.address), 5_000_000n);
    assert.equal(await client.getUsdc(buyer.address), 995_000_000n);
    const [newest] = await rpc.getSignaturesForAddress(buyer.address, { limit: 1 }).send();
    assert.equal(newest?.signature, getSignatureFromTransaction(transaction));
    assert.equal(newest?.memo, '[8] order 42');
    const owned = await rpc
      .getTokenAccountsByOwner(seller.address, { programId: TOKEN_PROGRAM_ADDRESS }, { encoding: 'jsonParsed' })
      .send();
    assert.equal(owned.value[0]?.account.data.parsed.info.tokenAmount.amount, '5000000');
  });

  it('an unmodified kit client reads a transaction in parsed form', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const buyer = await createWallet(node, client);
    const sent = await client.send(buyer, [
      getTransferSolInstruction({ source: buyer, destination: USDC, amount: 5n }),
      getAddMemoInstruction({ memo: 'hello' }),
    ]);
    const found = await client.rpc
      .getTransaction(sent, { encoding: 'jsonParsed', commitment: 'confirmed', maxSupportedTransactionVersion: 0 })
      .send();
    const [transfer, memo] = found?.transaction.message.instructions ?? [];
    assert.deepEqual(transfer && 'parsed' in transfer && transfer.parsed, {
      type: 'transfer',
      info: { source: buyer.address, destination: USDC, lamports: 5n },
    });
    assert.equal(memo && 'parsed' in memo && memo.parsed, 'hello');
  });

  it('an unmodified kit client pages through the history of an address', async (t) => {
    const node = await startNode(t);
    const { rpc, waitUntil } = createClient(node);
    const { address } = await generateKeyPairSigner();
    const sent: string[] = [];
    for (let count = 1; count <= 5; count++) sent.unshift(await node.fundNative(address, 1_000_000n));
    const [newest = '', second = '', third = '', fourth = ''] = sent;
    await waitUntil(signature(newest));
    const list = async (config: object) => (await rpc.getSignaturesForAddress(address, config).send()).map((entry) => entry.signature);
    assert.deepEqual(await list({}), sent);
    assert.deepEqual(await list({ limit: 2 }), [newest, second]);
    assert.deepEqual(await list({ before: second, limit: 2 }), [third, fourth]);
    assert.deepEqual(await list({ until: third }), [newest, second]);
    assert.deepEqual(await list({ before: newest, until: fourth }), [second, third]);
  });

  it('an unmodified kit client finds accounts, blocks, fees and simulations', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const { rpc } = client;
    const wallet = await createWallet(node, client);
    const transfer = getTransferSolInstruction({ source: wallet, destination: wallet.address, amount: 1n });
    const signed = await client.sign(wallet, [transfer]);
    const wire = getBase64EncodedWireTransaction(signed);
    const message = Buffer.from(signed.messageBytes).toString('base64') as TransactionMessageBytesBase64;
    assert.equal((await rpc.getFeeForMessage(message).send()).value, 5000n);
    const trial = await rpc
      .simulateTransaction(wire, {
        encoding: 'base64',
        accounts: { addresses: [wallet.address], encoding: 'base64' },
        innerInstructions: true,
      })
      .send();
    assert.deepEqual([trial.value.err, trial.value.unitsConsumed], [null, 150n]);
    assert.equal(trial.value.accounts[0]?.lamports, 10_000_000_000n - 5000n);

    const legacyEncoding = getBase58Decoder().decode(getBase64Encoder().encode(wire));
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, method: 'sendTransaction', params: [legacyEncoding, { preflightCommitment: 'confirmed' }] }),
    });
    const sent = await client.waitUntil(((await answer.json()) as { result: Signature }).result);
    const { slot } = await client.getTransaction(sent);
    const block = await rpc
      .getBlock(slot, { maxSupportedTransactionVersion: 0, transactionDetails: 'signatures', commitment: 'confirmed' })
      .send();
    assert.deepEqual(block?.signatures, [sent]);
    assert.equal(block?.blockTime, await rpc.getBlockTime(slot).send());

    const mintFilter = { memcmp: { offset: 0n, bytes: USDC as string as Base58EncodedBytes, encoding: 'base58' as const } };
    const holders = await rpc
      .getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'base64', filters: [{ dataSize: 165n }, mintFilter] })
      .send();
    assert.deepEqual(
      holders.map((holder) => holder.pubkey),
      [await usdcAccount(wallet.address)],
    );
    const [mint, missing] = (await rpc.getMultipleAccounts([USDC, (await generateKeyPairSigner()).address], { encoding: 'base64' }).send())
      .value;
    assert.deepEqual([mint?.owner, mint?.space, missing], [TOKEN_PROGRAM_ADDRESS, 82n, null]);
    assert.equal(await rpc.getMinimumBalanceForRentExemption(165n).send(), 2_039_280n);
    assert.equal(await rpc.getGenesisHash().send(), node.genesisHash);
    assert.equal((await rpc.getRecentPrioritizationFees().send()).length, 150);
  });

  it('an unmodified kit client is notified of subscribed accounts, logs and slots, on both ports', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const wallet = await createWallet(node, client);
    const stop = new AbortController();
    t.after(() => stop.abort());
    const sameSocketPort = createSolanaRpcSubscriptions(node.url.replace('http', 'ws'));
    const abort = { abortSignal: stop.signal };
    const accounts = await client.rpcSubscriptions.accountNotifications(wallet.address, { commitment: 'confirmed' }).subscribe(abort);
    const logs = await sameSocketPort.logsNotifications({ mentions: [wallet.address] }, { commitment: 'confirmed' }).subscribe(abort);
    const slots = await sameSocketPort.slotNotifications().subscribe(abort);
    const sent = await node.fundNative(wallet.address, 1n);
    const first = async <Item>(items: AsyncIterable<Item>): Promise<Item> => {
      for await (const item of items) return item;
      throw new Error('The stream ended.');
    };
    assert.equal((await first(accounts)).value.lamports, 10_000_000_001n);
    assert.equal((await first(logs)).value.signature, sent);
    assert.ok((await first(slots)).slot > 0n);
  });
});

describe('a transaction', () => {
  it('a Solana transaction passes from processed to confirmed to finalized, and reads follow their commitment', async (t) => {
    const node = await startNode(t, {
      slotMilliseconds: 400,
      confirmations: { confirmed: 1, finalized: 31 },
      now: () => 1_790_000_000_000,
    });
    const { rpc, findStatus } = createClient(node);
    const { address } = await generateKeyPairSigner();
    const sent = signature(await node.fundNative(address, 5_000_000n));
    const balances = async () => {
      const read = async (commitment: 'processed' | 'confirmed' | 'finalized') =>
        Number((await rpc.getBalance(address, { commitment }).send()).value);
      return [await read('processed'), await read('confirmed'), await read('finalized')];
    };
    const canRead = async (commitment: 'confirmed' | 'finalized') =>
      (await rpc.getTransaction(sent, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }).send()) !== null;

    assert.equal((await findStatus(sent))?.confirmationStatus, 'processed');
    assert.deepEqual(await balances(), [5_000_000, 0, 0]);
    assert.equal(await canRead('confirmed'), false);
    await node.advance(0.4);
    assert.equal((await findStatus(sent))?.confirmationStatus, 'confirmed');
    assert.deepEqual(await balances(), [5_000_000, 5_000_000, 0]);
    assert.deepEqual([await canRead('confirmed'), await canRead('finalized')], [true, false]);
    await node.advance(29 * 0.4);
    assert.equal((await findStatus(sent))?.confirmations, 30n);
    await node.advance(0.4);
    assert.equal((await findStatus(sent))?.confirmationStatus, 'finalized');
    assert.deepEqual(await balances(), [5_000_000, 5_000_000, 5_000_000]);
    assert.equal(await canRead('finalized'), true);
  });

  it('a failing Solana transaction pays the fee, a failing simulation nothing', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const payer = await createWallet(node, client);
    const tooMuch = getTransferSolInstruction({ source: payer, destination: USDC, amount: 10n ** 12n });
    await assert.rejects(client.send(payer, [tooMuch]), isPreflightFailure('custom program error|insufficient|#1'));
    const sent = await client.send(payer, [tooMuch], true);
    const { meta, fee } = await client.getTransaction(sent);
    assert.deepEqual(meta.err, { InstructionError: [0n, { Custom: 1n }] });
    assert.equal(fee, 5000);
    assert.equal((await client.rpc.getBalance(payer.address).send()).value, 10_000_000_000n - 5000n);
  });

  it('a Solana transaction lands once, however often it is sent', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const payer = await createWallet(node, client);
    const { address } = await generateKeyPairSigner();
    const signed = await client.sign(payer, [getTransferSolInstruction({ source: payer, destination: address, amount: 2_000_000n })]);
    const sent = await client.waitUntil(await client.submit(signed));
    await assert.rejects(client.submit(signed), isPreflightFailure('already been processed'));
    assert.equal(await client.submit(signed, true), sent);
    assert.equal((await client.rpc.getBalance(address).send()).value, 2_000_000n);
  });

  it('a Solana transaction is refused once its blockhash is 150 blocks old', async (t) => {
    const node = await startNode(t, { now: () => 1_790_000_000_000, slotMilliseconds: 400 });
    const client = createClient(node);
    const payer = await generateKeyPairSigner();
    await node.fundNative(payer.address, 10n ** 9n);
    await node.advance(1);
    const signed = await client.sign(payer, [getAddMemoInstruction({ memo: 'late' })]);
    assertIsTransactionWithBlockhashLifetime(signed);
    const { blockhash, lastValidBlockHeight } = signed.lifetimeConstraint;
    const isValid = async () => (await client.rpc.isBlockhashValid(blockhash, { commitment: 'processed' }).send()).value;
    await node.advance(149 * 0.4); // the blockhash was one slot old when it was read
    assert.equal(await isValid(), true);
    await node.advance(0.4);
    assert.equal(await isValid(), false);
    await node.advance(0.4); // the preflight simulation runs one slot back, at "confirmed"
    await assert.rejects(client.submit(signed), isPreflightFailure('[Bb]lockhash'));
    const lost = await client.submit(signed, true);
    await node.advance(60);
    assert.equal(await client.findStatus(lost), null);
    assert.ok((await client.rpc.getBlockHeight().send()) > lastValidBlockHeight);
  });

  it('a Solana transaction that spends confirmed funds fails its simulation at "finalized", as on mainnet', async (t) => {
    const node = await startNode(t, { slotMilliseconds: 400, confirmations: { confirmed: 1, finalized: 31 } });
    const client = createClient(node);
    const payer = await generateKeyPairSigner();
    await node.advance(60);
    await client.waitUntil(signature(await node.fundNative(payer.address, 10n ** 9n)));
    const bytes = getBase64EncodedWireTransaction(await client.sign(payer, [getAddMemoInstruction({ memo: 'too early' })]));
    const simulate = async (commitment: 'confirmed' | 'finalized') => {
      return (await client.rpc.simulateTransaction(bytes, { encoding: 'base64', commitment, replaceRecentBlockhash: true }).send()).value
        .err;
    };
    assert.equal(await simulate('confirmed'), null);
    assert.equal(await simulate('finalized'), 'AccountNotFound');
  });
});
