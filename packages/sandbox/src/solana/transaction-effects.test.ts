// The server verifies payments by getTransaction, so its answer must be exact for deceptive transactions too.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import {
  findAddressLookupTablePda,
  getCreateLookupTableInstructionAsync,
  getExtendLookupTableInstruction,
} from '@solana-program/address-lookup-table';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getApproveInstruction,
  getCloseAccountInstruction,
  getInitializeAccount3Instruction,
  getSetAuthorityInstruction,
  getTransferInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { SolanaNode } from './node.ts';
import { type Client, createClient, createUsdcAccount, createWallet, startNode, USDC, usdcAccount } from './test-client.ts';

const RENT = 2_039_280n;

interface Story {
  readonly node: SolanaNode;
  readonly client: Client;
  readonly buyer: KeyPairSigner;
  readonly other: KeyPairSigner;
  readonly treasury: Address;
  readonly buyerUsdc: Address;
  readonly treasuryUsdc: Address;
  pay(amount: bigint, authority?: KeyPairSigner): Instruction;
}

async function beginStory(t: TestContext): Promise<Story> {
  const node = await startNode(t);
  const client = createClient(node);
  const [buyer, other] = [await createWallet(node, client), await createWallet(node, client)];
  const treasury = (await generateKeyPairSigner()).address;
  const [buyerUsdc, treasuryUsdc] = [await usdcAccount(buyer.address), await usdcAccount(treasury)];
  const pay = (amount: bigint, authority = buyer) =>
    getTransferInstruction({ source: buyerUsdc, destination: treasuryUsdc, authority, amount });
  return { node, client, buyer, other, treasury, buyerUsdc, treasuryUsdc, pay };
}

/** Creates a token account of `owner` at another address than the associated one. */
async function createLooseAccount(client: Client, payer: KeyPairSigner, owner: Address): Promise<KeyPairSigner> {
  const account = await generateKeyPairSigner();
  await client.send(payer, [
    getCreateAccountInstruction({ payer, newAccount: account, lamports: RENT, space: 165, programAddress: TOKEN_PROGRAM_ADDRESS }),
    getInitializeAccount3Instruction({ account: account.address, mint: USDC, owner }),
  ]);
  return account;
}

describe('a transaction reports token balances', () => {
  it('getTransaction has no token balance "before" for an account that the transaction creates', async (t) => {
    const { client, buyer, treasury, buyerUsdc, treasuryUsdc, pay } = await beginStory(t);
    const sent = await client.send(buyer, [await createUsdcAccount(buyer, treasury), pay(5_000_000n)]);
    const { before: was, after, meta, addresses } = await client.getTransaction(sent);
    assert.deepEqual(was, { [buyerUsdc]: 1_000_000_000n });
    assert.deepEqual(after, { [buyerUsdc]: 995_000_000n, [treasuryUsdc]: 5_000_000n });
    const created = addresses.indexOf(treasuryUsdc);
    assert.deepEqual([meta.preBalances[created], meta.postBalances[created]], [0n, RENT]);
    assert.equal(meta.innerInstructions?.[0]?.index, 0);
    assert.ok((meta.innerInstructions?.[0]?.instructions.length ?? 0) >= 3);
    assert.ok(meta.logMessages?.some((line) => line.includes('CreateIdempotent')));
  });

  it('getTransaction shows token balances with the sum of two transfers', async (t) => {
    const { client, buyer, treasury, treasuryUsdc, pay } = await beginStory(t);
    await client.send(buyer, [await createUsdcAccount(buyer, treasury)]);
    const { before: was, after } = await client.getTransaction(await client.send(buyer, [pay(2_000_000n), pay(3_000_001n)]));
    assert.equal((after[treasuryUsdc] ?? 0n) - (was[treasuryUsdc] ?? 0n), 5_000_001n);
  });

  it('getTransaction shows unchanged token balances for a transaction that failed midway', async (t) => {
    const { client, buyer, treasury, pay } = await beginStory(t);
    await client.send(buyer, [await createUsdcAccount(buyer, treasury)]);
    const { before: was, after, meta } = await client.getTransaction(await client.send(buyer, [pay(1_000_000n), pay(10n ** 12n)], true));
    assert.deepEqual(meta.err, { InstructionError: [1n, { Custom: 1n }] });
    assert.deepEqual(was, after);
  });

  it('getTransaction shows token balances of the owner when a delegate transferred, though the owner did not sign', async (t) => {
    const { client, buyer, other, treasury, buyerUsdc, treasuryUsdc, pay } = await beginStory(t);
    await client.send(buyer, [
      await createUsdcAccount(buyer, treasury),
      getApproveInstruction({ source: buyerUsdc, delegate: other.address, owner: buyer, amount: 50_000_000n }),
    ]);
    const { before: was, after, meta, transaction } = await client.getTransaction(await client.send(other, [pay(5_000_000n, other)]));
    assert.equal((after[treasuryUsdc] ?? 0n) - (was[treasuryUsdc] ?? 0n), 5_000_000n);
    assert.equal(meta.postTokenBalances?.find((balance) => balance.owner === buyer.address)?.uiTokenAmount.amount, '995000000');
    const { accountKeys, header } = transaction.message;
    assert.deepEqual(accountKeys.slice(0, header.numRequiredSignatures), [other.address]);
  });

  it('getTransaction shows the old and the new owner of a token account that changes its owner', async (t) => {
    const { client, buyer, treasury, buyerUsdc } = await beginStory(t);
    const loose = await createLooseAccount(client, buyer, buyer.address);
    await client.send(buyer, [getTransferInstruction({ source: buyerUsdc, destination: loose.address, authority: buyer, amount: 7n })]);
    const handOver = getSetAuthorityInstruction({
      owned: loose.address,
      owner: buyer,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: treasury,
    });
    const { meta } = await client.getTransaction(await client.send(buyer, [handOver]));
    const [was] = meta.preTokenBalances ?? [];
    const [is] = meta.postTokenBalances ?? [];
    assert.deepEqual([was?.owner, was?.uiTokenAmount.amount], [buyer.address, '7']);
    assert.deepEqual([is?.owner, is?.uiTokenAmount.amount], [treasury, '7']);
    await client.waitUntil(await client.send(buyer, [getAddMemoInstruction({ memo: 'later' })]), 'finalized');
    const owned = await client.rpc.getTokenAccountsByOwner(treasury, { mint: USDC }, { encoding: 'base64' }).send();
    assert.deepEqual(
      owned.value.map((found) => found.pubkey),
      [loose.address],
    );
  });

  it('getTransaction has no token balance "after" for a closed account, and null for zero', async (t) => {
    const { client, buyer, buyerUsdc } = await beginStory(t);
    const loose = await createLooseAccount(client, buyer, buyer.address);
    const close = getCloseAccountInstruction({ account: loose.address, destination: buyer.address, owner: buyer });
    const { before: was, after, meta, addresses } = await client.getTransaction(await client.send(buyer, [close]));
    assert.deepEqual([was, after], [{ [loose.address]: 0n }, {}]);
    assert.equal(meta.preTokenBalances?.[0]?.uiTokenAmount.uiAmount, null);
    assert.equal(meta.postBalances[addresses.indexOf(loose.address)], 0n);
    assert.equal((await client.rpc.getAccountInfo(loose.address, { encoding: 'base64' }).send()).value, null);
    assert.notEqual((await client.rpc.getAccountInfo(buyerUsdc, { encoding: 'base64' }).send()).value, null);
  });
});

describe('a transaction with a lookup table', () => {
  it('a Solana transaction with a lookup table lands and lists the looked up addresses', async (t) => {
    const { client, buyer, treasury, treasuryUsdc, pay } = await beginStory(t);
    const recentSlot = await client.rpc.getSlot({ commitment: 'finalized' }).send();
    const [table] = await findAddressLookupTablePda({ authority: buyer.address, recentSlot });
    const created = await client.send(buyer, [
      await getCreateLookupTableInstructionAsync({ authority: buyer, payer: buyer, recentSlot }),
      getExtendLookupTableInstruction({
        address: table,
        authority: buyer,
        payer: buyer,
        addresses: [treasuryUsdc, TOKEN_PROGRAM_ADDRESS, USDC],
      }),
      await createUsdcAccount(buyer, treasury),
    ]);
    await client.waitUntil(created, 'finalized'); // entries of a lookup table work from the slot after their addition
    const signed = await client.sign(buyer, [pay(5_000_000n)], { [table]: [treasuryUsdc, TOKEN_PROGRAM_ADDRESS, USDC] });
    const sent = await client.waitUntil(await client.submit(signed));
    const { meta, after } = await client.getTransaction(sent);
    assert.deepEqual(meta.loadedAddresses?.writable, [treasuryUsdc]);
    assert.equal(after[treasuryUsdc], 5_000_000n);
    await assert.rejects(
      client.rpc.getTransaction(sent, { encoding: 'json', commitment: 'confirmed' }).send(),
      /Transaction version \(0\) is not supported|#-32015|-32015/,
    );
  });
});

describe('the reported fee', () => {
  it('getTransaction reports the charged fee, with and without a priority price', async (t) => {
    const { client, buyer } = await beginStory(t);
    const memo = getAddMemoInstruction({ memo: 'fee' });
    const price = getSetComputeUnitPriceInstruction({ microLamports: 1_000_000n });
    const limit = getSetComputeUnitLimitInstruction({ units: 50_000 });
    const toSelf = getTransferSolInstruction({ source: buyer, destination: buyer.address, amount: 1n });
    const cases: readonly [fee: number, instructions: readonly Instruction[]][] = [
      [5_000, [memo]],
      [55_000, [price, limit, memo]],
      [5_000 + 3_000 + 2 * 200_000, [price, memo, memo]],
      [5_000 + 2 * 3_000, [price, toSelf]],
    ];
    for (const [expected, instructions] of cases) {
      const { meta, fee } = await client.getTransaction(await client.send(buyer, instructions));
      const charged = (meta.preBalances[0] ?? 0n) - (meta.postBalances[0] ?? 0n);
      assert.deepEqual([Number(charged), fee], [expected, expected]);
    }
  });
});
