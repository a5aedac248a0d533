import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { lookTooEarly, PRICE, rememberInMemory } from '../../../testing/facilitator-test-bench.ts';
import { createWallet, interpose, USDC_MINT } from '../../../testing/solana-test-bench.ts';
import { type Buyer, openSolanaFacilitatorBench, type SolanaFacilitatorBench } from '../../../testing/solana-test-facilitator.ts';
import { approve, createLookupTable, transfer } from '../../../testing/solana-test-instructions.ts';
import { ChainUnavailable } from '../chains/chain.ts';
import {
  createTokenAccount,
  setComputeLimit,
  setComputePrice,
  transferSol,
  transferUsdc,
  writeMemo,
} from '../chains/solana/instructions.ts';
import { deriveTokenAccount } from '../chains/solana/token-account.ts';
import type { Settled, StandardPayment } from './facilitator.ts';

let bench: SolanaFacilitatorBench;
before(async () => {
  bench = await openSolanaFacilitatorBench();
});
after(() => bench.close());

function requireSettled(settled: Settled): string {
  assert.equal(settled.state, 'settled', JSON.stringify(settled));
  return settled.reference;
}

suite('a standard payment on Solana', () => {
  test('a Solana payment by the official client is verified and settled; the payer needs no SOL', async () => {
    const facilitator = await bench.open();
    assert.deepEqual(facilitator.networks, ['solana-mainnet']);
    assert.deepEqual(facilitator.extraOf('solana-mainnet'), { feePayer: bench.sponsor.address });
    const buyer = await bench.createBuyer();
    const payment = await bench.pay(buyer);
    const before = await bench.balanceOf(bench.treasuryAccount);
    assert.deepEqual(await facilitator.verify(payment), { valid: true, payer: buyer.address });
    const settled = await facilitator.settle(payment);
    requireSettled(settled);
    assert.equal(settled.state === 'settled' && settled.payer, buyer.address);
    assert.equal((await bench.balanceOf(bench.treasuryAccount)) - before, PRICE);
  });

  test('a Solana payment in a version 1 envelope is the same payment', async () => {
    const buyer = await bench.createBuyer();
    const { amount, ...rest } = bench.requirement;
    const offer = {
      ...rest,
      network: 'solana',
      maxAmountRequired: amount,
      resource: 'http://127.0.0.1/hire',
      description: '',
      mimeType: '',
    };
    const client = new ExactSvmSchemeV1(await createKeyPairSignerFromPrivateKeyBytes(buyer.secret), { rpcUrl: bench.node.url });
    const { payload } = await client.createPaymentPayload(1, offer as never);
    const payment: StandardPayment = { network: 'solana-mainnet', requirement: bench.requirement, payload };
    requireSettled(await (await bench.open()).settle(payment));
  });

  test('a Solana payment settled again, also after a restart, is the same transaction', async () => {
    const pendings = rememberInMemory();
    const payment = await bench.pay(await bench.createBuyer());
    const first = await (await bench.open({ pendings })).settle(payment);
    const before = await bench.balanceOf(bench.treasuryAccount);
    const [again, restarted] = [await bench.open({ pendings }), await bench.open({ pendings })];
    assert.deepEqual(await Promise.all([again.settle(payment), restarted.settle(payment)]), [first, first]);
    assert.equal(await bench.balanceOf(bench.treasuryAccount), before);
    requireSettled(first);
  });

  test('a Solana payment that another process settles between look and check is answered with that transaction', async () => {
    const pendings = rememberInMemory();
    const payment = await bench.pay(await bench.createBuyer(PRICE));
    const settled = await (await bench.open({ pendings })).settle(payment);
    assert.deepEqual(await (await bench.open({ pendings: lookTooEarly(pendings) })).settle(payment), settled);
    requireSettled(settled);
  });

  test('a Solana payment presented to another facilitator moves nothing twice and has the same reference', async () => {
    const payment = await bench.pay(await bench.createBuyer());
    const reference = requireSettled(await (await bench.open()).settle(payment));
    const before = await bench.balanceOf(bench.treasuryAccount);
    assert.equal(requireSettled(await (await bench.open()).settle(payment)), reference);
    assert.equal(await bench.balanceOf(bench.treasuryAccount), before);
  });

  test('twenty concurrent Solana payments are all settled', async () => {
    const facilitator = await bench.open();
    const buyers = await Promise.all(Array.from({ length: 20 }, () => bench.createBuyer()));
    const before = await bench.balanceOf(bench.treasuryAccount);
    const payments = await Promise.all(buyers.map((buyer) => bench.pay(buyer)));
    const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment)));
    assert.equal(new Set(settled.map(requireSettled)).size, 20);
    assert.equal((await bench.balanceOf(bench.treasuryAccount)) - before, 20n * PRICE);
  });

  test('a Solana payment has the identity of its message, with any signatures', async () => {
    const facilitator = await bench.open();
    const payment = await bench.pay(await bench.createBuyer());
    const name = facilitator.identityOf(payment);
    assert.match(name ?? '', /^svm:[0-9a-f]{64}$/);
    const bytes = Buffer.from(payment.payload['transaction'] as string, 'base64');
    bytes.fill(7, 65, 129);
    assert.equal(facilitator.identityOf({ ...payment, payload: { transaction: bytes.toString('base64') } }), name);
    assert.notEqual(facilitator.identityOf(await bench.pay(await bench.createBuyer())), name);
  });
});

suite('Solana settlement with a slow or silent chain', () => {
  const withoutSending = () => interpose(bench.rpc, { sendTransaction: () => '1'.repeat(64) });

  test('a transaction that did not land is unknown with its reference, and settled by the same one later', async () => {
    const pendings = rememberInMemory();
    const payment = await bench.pay(await bench.createBuyer());
    const lost = await (await bench.open({ pendings, client: withoutSending(), confirmationMs: 100 })).settle(payment);
    assert.equal(lost.state, 'unknown');
    assert.equal(requireSettled(await (await bench.open({ pendings })).settle(payment)), lost.reference);
  });

  test('a payment that was never sent has failed once its blockhash has expired finally', async () => {
    const own = await openSolanaFacilitatorBench();
    try {
      const pendings = rememberInMemory();
      const payment = await own.pay(await own.createBuyer());
      const client = interpose(own.rpc, { sendTransaction: () => '1'.repeat(64) });
      assert.equal((await (await own.open({ pendings, client, confirmationMs: 50 })).settle(payment)).state, 'unknown');
      await own.node.advance((160 * 50) / 1000);
      const settled = await (await own.open({ pendings, client })).settle(payment);
      assert.equal(settled.state === 'failed' && settled.reason, 'invalid_exact_svm_transaction_expired');
      const verdict = await (await own.open()).verify(payment);
      assert.equal(!verdict.valid && verdict.reason, 'invalid_exact_svm_transaction_simulation_failed');
    } finally {
      await own.close();
    }
  });

  test('C03: an answer lost after the broadcast is unknown, never failed', async () => {
    const pendings = rememberInMemory();
    const deaf = interpose(bench.rpc, {
      async sendTransaction(send) {
        await send();
        throw new ChainUnavailable('solana-mainnet', 'no node answered sendTransaction');
      },
      getSignatureStatuses: () => {
        throw new ChainUnavailable('solana-mainnet', 'no node answered getSignatureStatuses');
      },
    });
    const payment = await bench.pay(await bench.createBuyer());
    const lost = await (await bench.open({ pendings, client: deaf, confirmationMs: 150 })).settle(payment);
    assert.equal(lost.state, 'unknown');
    assert.equal(requireSettled(await (await bench.open({ pendings })).settle(payment)), lost.reference);
  });

  test('a payment that cannot be stored is not sent', async () => {
    let sent = 0;
    const client = interpose(bench.rpc, {
      sendTransaction: (send) => {
        sent += 1;
        return send();
      },
    });
    const forgetful = { find: async () => undefined, keep: () => Promise.reject(new Error('the database is away')) };
    const facilitator = await bench.open({ pendings: forgetful, client });
    await assert.rejects(facilitator.settle(await bench.pay(await bench.createBuyer())), /the database is away/);
    assert.equal(sent, 0);
  });

  test('a node that does not answer is an error, not a refusal, and nothing is signed', async () => {
    const pendings = rememberInMemory();
    const client = interpose(bench.rpc, {
      simulateTransaction: () => {
        throw new ChainUnavailable('solana-mainnet', 'no node answered simulateTransaction');
      },
    });
    const facilitator = await bench.open({ pendings, client });
    const payment = await bench.pay(await bench.createBuyer());
    const before = bench.countSignatures();
    await assert.rejects(facilitator.verify(payment), ChainUnavailable);
    await assert.rejects(facilitator.settle(payment), ChainUnavailable);
    assert.deepEqual([pendings.kept.size, bench.countSignatures()], [0, before]);
  });
});

suite('M31: hostile Solana transactions', () => {
  const LIGHTHOUSE = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
  const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
  let buyer: Buyer;
  let source: Awaited<ReturnType<typeof deriveTokenAccount>>;
  before(async () => {
    buyer = await bench.createBuyer();
    source = await deriveTokenAccount(buyer.address, USDC_MINT);
  });

  const refusedFor = async (payment: StandardPayment, reason: string): Promise<void> => {
    const pendings = rememberInMemory();
    const facilitator = await bench.open({ pendings });
    const before = bench.countSignatures();
    const verdict = await facilitator.verify(payment);
    assert.equal(!verdict.valid && verdict.reason, reason);
    const settled = await facilitator.settle(payment);
    assert.equal(settled.state === 'failed' && settled.reason, reason);
    assert.deepEqual([pendings.kept.size, bench.countSignatures()], [0, before]);
  };
  const limits = (units = 20_000, price = 1n) => [setComputeLimit(units), setComputePrice(price)];
  const payment = (change: Partial<Parameters<typeof transferUsdc>[0]> = {}) =>
    transferUsdc({ source, mint: USDC_MINT, destination: bench.treasuryAccount, owner: buyer.address, micros: PRICE, ...change });
  const honest = (): Instruction[] => [...limits(), payment(), writeMemo('0123456789abcdef')];

  test('an honestly composed transaction is settled, as a control of the hostile ones', async () => {
    requireSettled(await (await bench.open()).settle(await bench.compose(honest(), [buyer])));
  });

  const SVM = 'invalid_exact_svm_payload';
  const TOUCHED = `${SVM}_transaction_fee_payer_transferring_funds`;

  test('a transaction that spends the fee payer’s SOL is refused unsigned', async () => {
    const drain = transferSol(bench.sponsor.address, buyer.address, 1_000_000n);
    await refusedFor(await bench.compose([...honest(), drain], [buyer]), TOUCHED);
  });

  test('a transaction that makes the fee payer the owner of the coins is refused unsigned', async () => {
    const theirs = await deriveTokenAccount(bench.sponsor.address, USDC_MINT);
    const spending = payment({ source: theirs, owner: bench.sponsor.address });
    await refusedFor(await bench.compose([...limits(), spending], []), TOUCHED);
  });

  test('a transaction that makes the fee payer sign a memo is refused unsigned', async () => {
    const memo = { ...writeMemo('I owe you'), accounts: [{ address: bench.sponsor.address, role: AccountRole.READONLY_SIGNER }] };
    await refusedFor(await bench.compose([...limits(), payment(), memo], [buyer]), TOUCHED);
  });

  test('a transaction that makes the fee payer pay an account’s rent, also through an allowed program, is refused unsigned', async () => {
    const account = createWallet().address;
    const open = createTokenAccount({ payer: bench.sponsor.address, tokenAccount: account, owner: buyer.address, mint: USDC_MINT });
    await refusedFor(await bench.compose([...honest(), open], [buyer]), TOUCHED);
    const accounts = [
      { address: bench.sponsor.address, role: AccountRole.WRITABLE_SIGNER },
      { address: account, role: AccountRole.WRITABLE },
    ];
    await refusedFor(
      await bench.compose([...honest(), { programAddress: LIGHTHOUSE, accounts, data: Uint8Array.of(0) }], [buyer]),
      TOUCHED,
    );
  });

  test('a transaction with additional instructions is refused unsigned', async () => {
    const further = [
      transferSol(buyer.address, bench.treasury.address, 1n),
      approve(source, bench.treasury.address, buyer.address, 1n),
      payment(),
    ];
    for (const instruction of further) {
      await refusedFor(await bench.compose([...limits(), payment(), instruction], [buyer]), `${SVM}_unknown_fourth_instruction`);
    }
    const many = Array.from({ length: 6 }, (_, index) => writeMemo(String(index)));
    await refusedFor(await bench.compose([...limits(), payment(), ...many], [buyer]), `${SVM}_transaction_instructions_length`);
  });

  test('a transaction that omits or reorders the compute budget instructions is refused unsigned', async () => {
    await refusedFor(await bench.compose([payment()], [buyer]), `${SVM}_transaction_instructions_length`);
    const swapped = [...limits().reverse(), payment()];
    await refusedFor(await bench.compose(swapped, [buyer]), `${SVM}_transaction_instructions_compute_limit_instruction`);
  });

  test('a transaction that offers a higher compute price than we pay is refused unsigned', async () => {
    const instructions = `${SVM}_transaction_instructions_compute`;
    await refusedFor(await bench.compose([...limits(20_000, 100_001n), payment()], [buyer]), `${instructions}_price_instruction_too_high`);
    await refusedFor(await bench.compose([...limits(60_001), payment()], [buyer]), `${instructions}_limit_instruction_too_high`);
  });

  test('a transaction that requires a third signature is refused unsigned', async () => {
    const friend = createWallet();
    const memo = { ...writeMemo('hello'), accounts: [{ address: friend.address, role: AccountRole.READONLY_SIGNER }] };
    await refusedFor(await bench.compose([...limits(), payment(), memo], [buyer, friend]), `${SVM}_excessive_signers`);
  });

  test('a transaction that hides accounts in a lookup table is refused unsigned', async () => {
    const { table } = await createLookupTable(buyer.address, 1n, [bench.treasuryAccount]);
    const hidden = await bench.compose(honest(), [buyer], { table: { [table]: [bench.treasuryAccount] } });
    await refusedFor(hidden, 'invalid_exact_svm_smart_wallet_alt_resolution_not_available');
  });

  test('a transaction that moves another token, to another recipient, or another amount, is refused unsigned', async () => {
    const mint = createWallet().address;
    await refusedFor(await bench.compose([...limits(), payment({ mint })], [buyer]), `${SVM}_mint_mismatch`);
    await refusedFor(await bench.compose([...limits(), payment({ destination: source })], [buyer]), `${SVM}_recipient_mismatch`);
    for (const micros of [PRICE - 1n, PRICE + 1n]) {
      await refusedFor(await bench.compose([...limits(), payment({ micros })], [buyer]), `${SVM}_amount_mismatch`);
    }
    const unchecked = transfer(source, bench.treasuryAccount, buyer.address, PRICE);
    await refusedFor(await bench.compose([...limits(), unchecked], [buyer]), `${SVM}_no_transfer_instruction`);
  });

  test('a transaction with another memo than required, or with two, is refused unsigned', async () => {
    const asking = (composed: StandardPayment): StandardPayment => {
      const { requirement } = composed;
      return { ...composed, requirement: { ...requirement, extra: { ...requirement.extra, memo: 'ord_1' } } };
    };
    await refusedFor(asking(await bench.compose([...limits(), payment(), writeMemo('ord_2')], [buyer])), `${SVM}_memo_mismatch`);
    const two = [...limits(), payment(), writeMemo('ord_1'), writeMemo('ord_1')];
    await refusedFor(asking(await bench.compose(two, [buyer])), `${SVM}_memo_count`);
    assert.equal(two.at(-1)?.programAddress, MEMO);
  });

  test('a transaction that its payer did not sign, or that names another fee payer, is refused unsigned', async () => {
    await refusedFor(await bench.compose(honest(), []), `${SVM}_signature_invalid`);
    await refusedFor(await bench.compose(honest(), [{ ...createWallet(), address: buyer.address }]), `${SVM}_signature_invalid`);
    await refusedFor(await bench.compose(honest(), [buyer], { feePayer: buyer.address }), 'invalid_exact_svm_fee_payer_mismatch');
  });

  test('a transaction whose payer has too little balance is refused unsigned', async () => {
    const poor = await bench.createBuyer(PRICE - 1n);
    await refusedFor(await bench.pay(poor), 'invalid_exact_svm_transaction_simulation_failed');
  });

  test('a payment with other terms than ours is refused unsigned: token, recipient, network, scheme', async () => {
    const composed = await bench.compose(honest(), [buyer]);
    const judgeBy = (change: object) => ({ ...composed, requirement: { ...composed.requirement, ...change } });
    await refusedFor(judgeBy({ asset: buyer.address }), 'invalid_payment_requirements');
    await refusedFor(judgeBy({ payTo: buyer.address }), 'invalid_payment_requirements');
    await refusedFor(judgeBy({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }), 'invalid_network');
    await refusedFor(judgeBy({ scheme: 'upto' }), 'invalid_scheme');
  });

  test('a payload that is not a transaction is refused', async () => {
    const facilitator = await bench.open();
    const broken = [
      {},
      { transaction: '' },
      { transaction: 'no base64' },
      { transaction: 7 },
      { transaction: Buffer.alloc(1233).toString('base64') },
    ];
    for (const payload of broken) {
      const hostile: StandardPayment = { network: 'solana-mainnet', requirement: bench.requirement, payload };
      await refusedFor(hostile, 'invalid_payload');
      assert.equal(facilitator.identityOf(hostile), undefined);
    }
  });
});
