import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sandboxSmartWallet, sandboxUsdc } from '@market/sandbox/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getAddress, keccak256, slice } from 'viem/utils';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import type { Bend } from '../../../testing/bent-node.ts';
import { deploy, sendUsdc } from '../../../testing/evm-test-chain.ts';
import {
  type EvmBench,
  edit,
  lookTooEarly,
  openEvmBench,
  PRICE,
  rememberInMemory,
  signTyped,
} from '../../../testing/facilitator-test-bench.ts';
import { ChainUnavailable } from '../chains/chain.ts';
import { takeSigningTurn } from '../chains/signing-turn.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { encodeUse } from './evm-authorization.ts';
import { signingKey } from './evm-broadcast.ts';
import { readAuthorizedTransfer } from './exact-payload.ts';
import type { Settled, StandardPayment } from './facilitator.ts';

let testDatabase: TestDatabase;
let database: Database;
let base: EvmBench;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 5, onError: () => {} });
  base = await openEvmBench({ pool: database.pool });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

const createBuyer = async (bench: EvmBench = base, micros = 10n * PRICE) => (await bench.createPerson({ micros, wei: 0n })).account;

function requireSettled(settled: Settled): string {
  assert.equal(settled.state, 'settled', JSON.stringify(settled));
  return settled.reference;
}

suite('a standard payment on an EVM network', () => {
  for (const network of ['base-mainnet', 'alt-mainnet'] as const) {
    test(`an EVM payment by the official client on ${network} is verified and settled; the payer needs no coins for fees`, async () => {
      const bench = network === 'base-mainnet' ? base : await openEvmBench({ network, pool: database.pool });
      const facilitator = await bench.open();
      assert.deepEqual(facilitator.networks, [network]);
      assert.deepEqual(facilitator.extraOf(network), { name: 'USD Coin', version: '2' });
      const buyer = await createBuyer(bench);
      const payment = await bench.pay(buyer);
      const before = await bench.balanceOf(bench.treasury);

      assert.deepEqual(await facilitator.verify(payment), { valid: true, payer: buyer.address });
      const reference = requireSettled(await facilitator.settle(payment));
      assert.equal((await bench.balanceOf(bench.treasury)) - before, PRICE);
      const transaction = await bench.reader.getTransaction({ hash: reference as Hex });
      assert.equal(transaction.from.toLowerCase(), bench.sponsor.toLowerCase());
    });
  }

  test('an EVM payment in a version 1 envelope is the same payment', async () => {
    const buyer = await createBuyer();
    const { requirement } = base;
    const { amount, ...rest } = requirement;
    const offer = { ...rest, network: 'base', maxAmountRequired: amount, resource: 'http://127.0.0.1/hire', description: '', mimeType: '' };
    const client = new ExactEvmSchemeV1(buyer as ConstructorParameters<typeof ExactEvmSchemeV1>[0]);
    const { payload } = await client.createPaymentPayload(1, offer as never);
    const payment: StandardPayment = { network: 'base-mainnet', requirement, payload };
    const facilitator = await base.open();
    assert.equal((await facilitator.verify(payment)).valid, true);
    requireSettled(await facilitator.settle(payment));
  });

  test('an EVM payment by a contract wallet is settled with the wallet’s signature', async () => {
    const owner = await base.createPerson();
    const { abi, creationCode: bytecode } = sandboxSmartWallet;
    const wallet = await deploy(base.chain, owner, encodeDeployData({ abi, bytecode, args: [owner.account.address] }));
    await base.fund(wallet, { micros: PRICE });
    const payment = await base.pay({ ...owner.account, address: wallet });
    const facilitator = await base.open();
    assert.deepEqual(await facilitator.verify(payment), { valid: true, payer: getAddress(wallet) });
    requireSettled(await facilitator.settle(payment));
    assert.equal(await base.balanceOf(wallet), 0n);
  });

  test('an EVM payment whose signature ends in 0 or 1 counts like one that ends in 27 or 28', async () => {
    const payment = await base.pay(await createBuyer());
    const { signature } = payment.payload as { signature: string };
    const short = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`;
    const facilitator = await base.open();
    requireSettled(await facilitator.settle({ ...payment, payload: { ...payment.payload, signature: short } }));
  });
});

suite('a repeated EVM payment', () => {
  test('an EVM payment settled again is the same transaction, and no second one is sent', async () => {
    const { rpc, count } = await base.watch();
    const facilitator = await base.open({ rpc });
    const payment = await base.pay(await createBuyer());
    const first = await facilitator.settle(payment);
    const again = await Promise.all([facilitator.settle(payment), facilitator.settle(payment)]);
    assert.deepEqual(again, [first, first]);
    assert.equal(requireSettled(first).length, 66);
    assert.equal(count('eth_sendRawTransaction'), 1);
  });

  test('an EVM payment in five concurrent copies sends one transaction', async () => {
    const { rpc, count } = await base.watch();
    const facilitator = await base.open({ rpc });
    const payment = await base.pay(await createBuyer());
    const answers = await Promise.all(Array.from({ length: 5 }, () => facilitator.settle(payment)));
    assert.equal(new Set(answers.map(requireSettled)).size, 1);
    assert.equal(count('eth_sendRawTransaction'), 1);
  });

  test('an EVM payment that another process settles between look and check is answered with that transaction', async () => {
    const pendings = rememberInMemory();
    const payment = await base.pay(await createBuyer());
    const settled = await (await base.open({ pendings })).settle(payment);
    assert.deepEqual(await (await base.open({ pendings: lookTooEarly(pendings) })).settle(payment), settled);
    requireSettled(settled);
  });

  test('an EVM payment that another facilitator settled is refused, and its transaction is found', async () => {
    const payment = await base.pay(await createBuyer());
    const reference = requireSettled(await (await base.open()).settle(payment));
    const stranger = await base.open();
    assert.deepEqual((await stranger.verify(payment)).valid, false);
    const refused = await stranger.settle(payment);
    assert.equal(refused.state === 'failed' && refused.reason, 'invalid_exact_evm_nonce_already_used');
    assert.equal(await stranger.findPreempted(payment), reference);
  });

  test('an EVM payment that a stranger submitted first is found, unless it paid on other terms', async () => {
    const [buyer, stranger] = [await createBuyer(), await base.createPerson()];
    const facilitator = await base.open();
    const payment = await base.pay(buyer);
    assert.equal(await facilitator.findPreempted(payment), undefined);
    const transfer = readAuthorizedTransfer(payment.payload);
    assert.ok(transfer);
    const hash = await base.included(
      await stranger.sendTransaction({ to: base.requirement.asset as Hex, data: encodeUse(transfer), gas: 200_000n }),
    );
    const refused = await facilitator.settle(payment);
    assert.equal(refused.state === 'failed' && refused.reason, 'invalid_exact_evm_nonce_already_used');
    assert.equal(await facilitator.findPreempted(payment), hash);
    const dearer = { ...payment, requirement: { ...payment.requirement, amount: String(PRICE * 2n) } };
    assert.equal(await facilitator.findPreempted(dearer), undefined);
    assert.equal(await facilitator.findPreempted(edit(dearer, { value: String(PRICE * 2n) })), undefined);
  });
});

test('a payer who cancels the authorisation has not paid', async () => {
  const [buyer, stranger] = [await createBuyer(), await base.createPerson()];
  const payment = await base.pay(buyer);
  const { nonce } = (payment.payload as { authorization: { nonce: Hex } }).authorization;
  const fields = ['authorizer:address', 'nonce:bytes32'];
  const signature = await signTyped(base, buyer, 'CancelAuthorization', fields, { authorizer: buyer.address, nonce });
  const [v, r, s] = [Number(slice(signature, 64)), slice(signature, 0, 32), slice(signature, 32, 64)];
  const args = [buyer.address, nonce, v, r, s] as const;
  const data = encodeFunctionData({ abi: sandboxUsdc.abi, functionName: 'cancelAuthorization', args });
  await base.included(await stranger.sendTransaction({ to: base.requirement.asset as Hex, data, gas: 200_000n }));
  const facilitator = await base.open();
  const settled = await facilitator.settle(payment);
  assert.equal(settled.state === 'failed' && settled.reason, 'invalid_exact_evm_nonce_already_used');
  assert.equal(await facilitator.findPreempted(payment), undefined);
});

suite('EVM settlement with a slow or silent chain', () => {
  test('an unmined payment is unknown with its transaction, and settled by the same one later', async () => {
    const slow = await openEvmBench({ pool: database.pool, byHand: true });
    const buyer = await createBuyer(slow);
    const { rpc, count } = await slow.watch();
    const pendings = rememberInMemory();
    const facilitator = await slow.open({ pendings, rpc, confirmationMs: 150 });
    const payment = await slow.pay(buyer);
    const first = await facilitator.settle(payment);
    assert.equal(first.state, 'unknown');
    const { reference } = first;
    assert.match(reference ?? '', /^0x[0-9a-f]{64}$/);
    assert.deepEqual(await facilitator.settle(payment), first);

    await slow.mine();
    // Another process after a restart, which has only the store.
    const restarted = await slow.open({ pendings, rpc });
    assert.deepEqual(await restarted.settle(payment), { state: 'settled', reference, payer: buyer.address });
    assert.equal(count('eth_sendRawTransaction'), 1);
    assert.equal(await slow.balanceOf(slow.treasury), PRICE);
  });

  test('a transaction that was stored but never sent is sent by the next call', async () => {
    const pendings = rememberInMemory();
    const { rpc } = await base.watch((method, _params, ask) =>
      method === 'eth_sendRawTransaction' ? { result: `0x${'ab'.repeat(32)}` } : ask(),
    );
    const payment = await base.pay(await createBuyer());
    const lost = await (await base.open({ pendings, rpc, confirmationMs: 100 })).settle(payment);
    assert.equal(lost.state, 'unknown');
    assert.equal(requireSettled(await (await base.open({ pendings })).settle(payment)), lost.reference);
  });

  test('a payment whose account nonce another transaction used is signed again', async () => {
    const pendings = rememberInMemory();
    const { rpc } = await base.watch((method, _params, ask) =>
      method === 'eth_sendRawTransaction' ? { result: `0x${'ab'.repeat(32)}` } : ask(),
    );
    const payment = await base.pay(await createBuyer());
    const lost = await (await base.open({ pendings, rpc, confirmationMs: 100 })).settle(payment);
    requireSettled(await (await base.open()).settle(await base.pay(await createBuyer())));
    const reference = requireSettled(await (await base.open({ pendings })).settle(payment));
    assert.notEqual(reference, lost.state === 'unknown' && lost.reference);
  });

  test('nonces that a node returns although they are used are skipped', async () => {
    const used = await base.reader.getTransactionCount({ address: base.sponsor });
    assert.ok(used >= 2);
    const { rpc } = await base.watch((method, params, ask) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending' ? { result: `0x${(used - 2).toString(16)}` } : ask(),
    );
    requireSettled(await (await base.open({ rpc })).settle(await base.pay(await createBuyer())));
  });

  test('C03: an answer lost after the broadcast is unknown, never failed', async () => {
    const pendings = rememberInMemory();
    const { rpc } = await base.watch(async (method, _params, ask) => {
      if (method === 'eth_sendRawTransaction') await ask();
      return method === 'eth_sendRawTransaction' || method === 'eth_getTransactionReceipt' ? { result: 'nonsense' } : await ask();
    });
    const payment = await base.pay(await createBuyer());
    const lost = await (await base.open({ pendings, rpc, confirmationMs: 200 })).settle(payment);
    assert.equal(lost.state, 'unknown');
    assert.equal(requireSettled(await (await base.open({ pendings })).settle(payment)), lost.reference);
  });

  test('bytes rebroadcast after a lost answer are not taken for a foreign transaction', async () => {
    const before = await base.reader.getTransactionCount({ address: base.sponsor });
    let isLost = false;
    const loseFirst: Bend = async (method, params, ask) => {
      if (method !== 'eth_sendRawTransaction' || isLost) return await ask();
      isLost = true;
      await ask();
      await base.included(keccak256(params[0] as Hex));
      return { result: 'no hash at all' };
    };
    const { rpc, count } = await base.watch(loseFirst, { tries: 3 });
    requireSettled(await (await base.open({ rpc })).settle(await base.pay(await createBuyer())));
    assert.equal(count('eth_sendRawTransaction'), 2);
    assert.equal(await base.reader.getTransactionCount({ address: base.sponsor }), before + 1);
  });

  test('bytes that another process found and sent first are not taken for a foreign transaction', async () => {
    const before = await base.reader.getTransactionCount({ address: base.sponsor });
    let isSent = false;
    const { rpc } = await base.watch(async (method, params, ask) => {
      if (method === 'eth_sendRawTransaction' && !isSent) {
        isSent = true;
        await ask();
        await base.included(keccak256(params[0] as Hex));
      }
      return await ask();
    });
    requireSettled(await (await base.open({ rpc })).settle(await base.pay(await createBuyer())));
    assert.equal(await base.reader.getTransactionCount({ address: base.sponsor }), before + 1);
  });

  test('a payment that expired unsent has failed once that is final', async () => {
    const bench = await openEvmBench({ pool: database.pool });
    const pendings = rememberInMemory();
    const { rpc } = await bench.watch((method, _params, ask) =>
      method === 'eth_sendRawTransaction' ? { result: `0x${'ab'.repeat(32)}` } : ask(),
    );
    const payment = await bench.pay(await createBuyer(bench));
    const facilitator = await bench.open({ pendings, rpc, confirmationMs: 50 });
    assert.equal((await facilitator.settle(payment)).state, 'unknown');
    await bench.node.advance(600);
    assert.equal((await facilitator.settle(payment)).state, 'unknown', 'not final yet');
    await bench.mine(8);
    const settled = await facilitator.settle(payment);
    assert.equal(settled.state === 'failed' && settled.reason, 'invalid_exact_evm_payload_authorization_valid_before');
  });

  test('an authorisation expired by the chain’s own time is refused as expired', async () => {
    const bench = await openEvmBench({ pool: database.pool });
    await bench.node.advance(600);
    const verdict = await (await bench.open()).verify(await bench.pay(await createBuyer(bench)));
    assert.equal(!verdict.valid && verdict.reason, 'invalid_exact_evm_payload_authorization_valid_before');
  });

  test('a node that does not answer is an error, not a refusal, and nothing is signed', async () => {
    // Needs its own chain: per network, the scheme remembers that the token exists, and then does not ask.
    const bench = await openEvmBench({ pool: database.pool, chainId: 7777 });
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    for (const silent of ['eth_getCode', 'eth_call', 'eth_estimateGas', 'eth_getTransactionCount']) {
      const pendings = rememberInMemory();
      let isDown = false;
      const { rpc, count } = await bench.watch((method, _params, ask) =>
        isDown && method === silent ? { error: { code: -32005, message: 'rate limit exceeded' } } : ask(),
      );
      const facilitator = await bench.open({ pendings, rpc });
      const payment = await bench.pay(await createBuyer(bench));
      isDown = true;
      if (silent === 'eth_getCode' || silent === 'eth_call') await assert.rejects(facilitator.verify(payment), ChainUnavailable, silent);
      await assert.rejects(facilitator.settle(payment), ChainUnavailable, silent);
      assert.equal(pendings.kept.size + count('eth_sendRawTransaction'), 0);
      isDown = false;
      requireSettled(await facilitator.settle(payment));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  test('a settlement that waits too long for the sponsor’s key is abandoned, and nothing is signed later', async () => {
    const pendings = rememberInMemory();
    const { rpc, count } = await base.watch();
    const facilitator = await base.open({ rpc, pendings, turnMs: 100 });
    const payment = await base.pay(await createBuyer());
    let release = (): void => undefined;
    const key = signingKey({ network: 'base-mainnet' } as Parameters<typeof signingKey>[0], { address: base.sponsor });
    const held = takeSigningTurn(database.pool, key, () => new Promise<void>((resolve) => (release = resolve)));
    await assert.rejects(facilitator.settle(payment), ChainUnavailable);
    release();
    await held;
    // This turn comes after all waiting ones.
    await takeSigningTurn(database.pool, key, async () => undefined);
    assert.equal(pendings.kept.size + count('eth_sendRawTransaction'), 0);
    requireSettled(await (await base.open({ pendings })).settle(payment));
  });

  test('a payment that cannot be stored is not sent', async () => {
    const forgetful = { find: async () => undefined, keep: () => Promise.reject(new Error('the database is away')) };
    const { rpc, count } = await base.watch();
    const facilitator = await base.open({ rpc, pendings: forgetful });
    await assert.rejects(facilitator.settle(await base.pay(await createBuyer())), /the database is away/);
    assert.equal(count('eth_sendRawTransaction'), 0);
  });

  test('a payer who moves the money away after verification has not paid, and nothing is broadcast', async () => {
    const person = await base.createPerson({ micros: PRICE });
    const facilitator = await base.open();
    const payment = await base.pay(person.account);
    assert.equal((await facilitator.verify(payment)).valid, true);
    await base.included(await sendUsdc(person, privateKeyToAccount(generatePrivateKey()).address, 1n));
    const settled = await facilitator.settle(payment);
    assert.equal(settled.state === 'failed' && settled.reason, 'invalid_exact_evm_insufficient_balance');
  });
});

suite('the EVM sponsor', () => {
  test('an EVM sponsor with too little for twenty settlements takes its network off the offer', async () => {
    const poor = await openEvmBench({ pool: database.pool });
    const { rpc } = await poor.watch((method, params, ask) =>
      method === 'eth_getBalance' && String(params[0]).toLowerCase() === poor.sponsor.toLowerCase() ? { result: '0x1' } : ask(),
    );
    assert.deepEqual((await poor.open({ rpc })).networks, []);
    assert.deepEqual((await poor.open()).networks, ['base-mainnet']);
  });

  test('an EVM sponsor without coins refuses before anything is signed', async () => {
    const pendings = rememberInMemory();
    const { rpc } = await base.watch((method, params, ask) =>
      method === 'eth_getBalance' && String(params[0]).toLowerCase() === base.sponsor.toLowerCase() ? { result: '0x1' } : ask(),
    );
    const facilitator = await base.open({ rpc, pendings });
    await assert.rejects(facilitator.settle(await base.pay(await createBuyer())), ChainUnavailable);
    assert.equal(pendings.kept.size, 0);
  });
});
