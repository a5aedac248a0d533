import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { generatePrivateKey, type LocalAccount } from 'viem/accounts';
import { serializeErc6492Signature } from 'viem/utils';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type EvmBench, edit, openEvmBench, PRICE, rememberInMemory, signTyped } from '../../../testing/facilitator-test-bench.ts';
import { type Database, openDatabase } from '../db/database.ts';
import type { PaymentRequirements, StandardPayment } from './facilitator.ts';

let testDatabase: TestDatabase;
let database: Database;
let base: EvmBench;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 2, onError: () => {} });
  base = await openEvmBench({ pool: database.pool });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

const createBuyer = async (micros = 10n * PRICE) => (await base.createPerson({ micros, wei: 0n })).account;

suite('an EVM payment', () => {
  const refusedFor = async (payment: StandardPayment, reason: string): Promise<void> => {
    const pendings = rememberInMemory();
    const facilitator = await base.open({ pendings });
    const verdict = await facilitator.verify(payment);
    assert.deepEqual([verdict.valid, 'reason' in verdict && verdict.reason], [false, reason]);
    const settled = await facilitator.settle(payment);
    assert.deepEqual([settled.state, 'reason' in settled && settled.reason], ['failed', reason]);
    assert.equal(pendings.kept.size, 0, 'nothing was signed');
  };
  const judgeBy = (payment: StandardPayment, change: Partial<PaymentRequirements>): StandardPayment => ({
    ...payment,
    requirement: { ...payment.requirement, ...change },
  });

  test('an EVM payment of another amount is refused, also of a larger one', async () => {
    const buyer = await createBuyer();
    for (const amount of [PRICE - 1n, PRICE + 1n]) {
      const payment = judgeBy(await base.pay(buyer, { amount: String(amount) }), { amount: String(PRICE) });
      await refusedFor(payment, 'invalid_exact_evm_payload_authorization_value_mismatch');
    }
  });

  test('an EVM payment to another recipient is refused', async () => {
    const buyer = await createBuyer();
    const payment = judgeBy(await base.pay(buyer, { payTo: buyer.address }), { payTo: base.treasury });
    await refusedFor(payment, 'invalid_exact_evm_recipient_mismatch');
  });

  test('an EVM payment for requirements that are not ours is refused: another token, another recipient', async () => {
    const buyer = await createBuyer();
    await refusedFor(await base.pay(buyer, { payTo: buyer.address }), 'invalid_payment_requirements');
    await refusedFor(await base.pay(buyer, { asset: buyer.address }), 'invalid_payment_requirements');
  });

  test('an EVM payment signed for another token, another chain or other terms is refused', async () => {
    const buyer = await createBuyer();
    const { asset, network } = base.requirement;
    await refusedFor(judgeBy(await base.pay(buyer, { asset: buyer.address }), { asset }), 'invalid_exact_evm_signature');
    await refusedFor(judgeBy(await base.pay(buyer, { network: 'eip155:84532' }), { network }), 'invalid_exact_evm_signature');
    await refusedFor(edit(await base.pay(buyer), { nonce: generatePrivateKey() }), 'invalid_exact_evm_signature');
  });

  test('an EVM payment for another network or another scheme is refused', async () => {
    const payment = await base.pay(await createBuyer());
    await refusedFor(judgeBy(payment, { network: 'eip155:84532' }), 'invalid_network');
    await refusedFor({ ...payment, network: 'alt-mainnet' }, 'invalid_network');
    await refusedFor(judgeBy(payment, { scheme: 'upto' }), 'invalid_scheme');
  });

  test('an EVM payment with another wallet’s signature is refused', async () => {
    const [buyer, thief] = [await createBuyer(), await createBuyer()];
    const stolen = await base.pay({ ...thief, address: buyer.address });
    await refusedFor(stolen, 'invalid_exact_evm_signature');
  });

  test('an EVM payment that is expired or not yet valid is refused', async () => {
    const buyer = await createBuyer();
    await refusedFor(await base.pay(buyer, { maxTimeoutSeconds: -10 }), 'invalid_exact_evm_payload_authorization_valid_before');
    const inAnHour = await signTerms(buyer, { validAfter: String(Math.floor(Date.now() / 1000) + 3600), validBefore: String(2n ** 40n) });
    await refusedFor(inAnHour, 'invalid_exact_evm_payload_authorization_valid_after');
  });

  test('an EVM payment of a payer without enough balance is refused', async () => {
    await refusedFor(await base.pay(await createBuyer(PRICE - 1n)), 'invalid_exact_evm_insufficient_balance');
  });

  test('an EVM payment of a wallet that is not deployed yet is refused', async () => {
    const payment = await base.pay(await createBuyer());
    const { signature } = payment.payload as { signature: Hex };
    const wrapped = serializeErc6492Signature({ address: base.treasury, data: '0x1234', signature });
    await refusedFor({ ...payment, payload: { ...payment.payload, signature: wrapped } }, 'eip6492_factory_not_allowed');
  });

  test('an EVM payment by Permit2, or with any payload outside the exact scheme, is refused', async () => {
    const buyer = await createBuyer();
    const permit2 = await base.pay(buyer, { extra: { assetTransferMethod: 'permit2', name: 'USD Coin', version: '2' } });
    assert.ok('permit2Authorization' in permit2.payload, 'the official client made a Permit2 payload');
    await refusedFor(permit2, 'unsupported_payload_type');
    const payment = await base.pay(buyer);
    const broken: Record<string, unknown>[] = [
      {},
      { signature: '0x', authorization: {} },
      { ...payment.payload, signature: 'no hexadecimal' },
      { ...payment.payload, signature: `0x${'00'.repeat(5000)}` },
      edit(payment, { value: '0x86470' }).payload,
      edit(payment, { value: '-1' }).payload,
      edit(payment, { value: '550000.0' }).payload,
      edit(payment, { value: '0550000' }).payload,
      edit(payment, { value: Number(PRICE) }).payload,
      edit(payment, { nonce: '0x01' }).payload,
      edit(payment, { from: 'me' }).payload,
    ];
    for (const payload of broken) {
      await refusedFor({ ...payment, payload }, 'invalid_payload');
      assert.equal((await base.open()).identityOf({ ...payment, payload }), undefined);
    }
  });

  test('an EVM payment has one identity in any spelling or signature form, and another on another chain', async () => {
    const facilitator = await base.open();
    const payment = await base.pay(await createBuyer());
    const name = facilitator.identityOf(payment);
    const { authorization } = payment.payload as { authorization: { from: string; nonce: string } };
    const shouted = edit(payment, { from: authorization.from.toLowerCase(), nonce: authorization.nonce.toUpperCase().replace('0X', '0x') });
    assert.equal(facilitator.identityOf({ ...shouted, payload: { ...shouted.payload, signature: '0x1234' } }), name);
    assert.match(name ?? '', /^eip3009:eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:0x[0-9a-f]{40}:0x[0-9a-f]{64}$/);
    assert.notEqual(facilitator.identityOf(judgeBy(payment, { network: 'eip155:1' })), name);
  });
});

/** Signs validity terms that no official client would set. */
async function signTerms(buyer: LocalAccount, terms: { validAfter: string; validBefore: string }) {
  const plain = await base.pay(buyer);
  const { authorization } = plain.payload as { authorization: Record<'from' | 'to' | 'value' | 'nonce', string> };
  const message = { ...authorization, ...terms };
  const fields = ['from:address', 'to:address', 'value:uint256', 'validAfter:uint256', 'validBefore:uint256', 'nonce:bytes32'];
  const signature = await signTyped(base, buyer, 'TransferWithAuthorization', fields, message);
  return { ...plain, payload: { signature, authorization: message } };
}
