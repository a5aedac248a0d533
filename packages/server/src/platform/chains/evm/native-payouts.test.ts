import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { getContractAddress } from 'viem/utils';
import { startBentNode } from '../../../../testing/bent-node.ts';
import { deploy, refusedFor, somebody, startTestChain, type TestChain, transferOf, USDC } from '../../../../testing/evm-test-chain.ts';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer } from '../chain.ts';

const ETHER = 10n ** 18n;
const SAFE_BLOCKS = 4;
const FINAL_BLOCKS = 6;
/** A contract that reverts every call. */
const REFUSING = '0x6005600c60003960056000f360006000fd';
const OPEN = { state: 'open' };
const EXPIRED = { state: 'expired' };

suite('payouts in the network’s native coin, block by block', () => {
  let evm: TestChain;
  before(async () => {
    evm = await startTestChain({ byHand: true, treasury: { micros: 100n * USDC, wei: 50n * ETHER } });
  });
  const payOf = (destination = somebody(), amount = ETHER / 1000n) => transferOf(destination, amount, 'native');
  const send = async (transfer: OutgoingTransfer): Promise<SignedTransfer> => {
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    return signed;
  };
  const look = (transfer: OutgoingTransfer, signed: SignedTransfer, chain = evm.chain) => chain.readOutcome(transfer, signed);
  const landed = (signed: SignedTransfer, finality: string) => ({ state: 'landed', reference: signed.reference, finality });
  const received = async ({ destination }: OutgoingTransfer) => (await evm.chain.readBalances(destination)).native;
  /** Signs a transfer, then lets another transfer use its nonce. */
  const loseNonce = async (transfer: OutgoingTransfer): Promise<SignedTransfer> => {
    const signed = await evm.chain.signTransfer(transfer);
    const other = await send(transferOf(somebody(), USDC));
    assert.equal(other.validity, signed.validity);
    await evm.mine();
    return signed;
  };

  test('a native payout that is signed, sent, landed and final pays the exact amount under the promised reference', async () => {
    const transfer = payOf(somebody(), 123_456_789n);
    const signed = await evm.chain.signTransfer(transfer);
    assert.deepEqual(await look(transfer, signed), OPEN);
    await evm.chain.broadcast(signed);
    await evm.mine();
    assert.deepEqual(await look(transfer, signed), landed(signed, 'seen'));
    await evm.mine(SAFE_BLOCKS);
    assert.deepEqual(await look(transfer, signed), landed(signed, 'final'));
    assert.equal(await received(transfer), 123_456_789n);
  });

  test('the same bytes of a native payout, sent repeatedly, land once', async () => {
    const transfer = payOf();
    const signed = await evm.chain.signTransfer(transfer);
    for (let i = 0; i < 3; i++) await evm.chain.broadcast(signed);
    await evm.mine();
    await evm.chain.broadcast(signed);
    await evm.mine(FINAL_BLOCKS);
    await evm.chain.broadcast(signed);
    await evm.mine();
    assert.deepEqual(await look(transfer, signed), landed(signed, 'final'));
    assert.equal(await received(transfer), transfer.amount);
  });

  test('bytes whose nonce another transaction took expire once that one is finalized; signed anew they pay once', async () => {
    const transfer = payOf();
    const lost = await loseNonce(transfer);
    assert.deepEqual(await look(transfer, lost), OPEN);
    await evm.mine(FINAL_BLOCKS - 1);
    assert.deepEqual(await look(transfer, lost), OPEN, 'safe is not enough');
    await evm.mine();
    assert.deepEqual(await look(transfer, lost), EXPIRED);

    const again = await send(transfer);
    assert.ok(BigInt(again.validity) > BigInt(lost.validity));
    await evm.chain.broadcast(lost);
    await evm.mine(FINAL_BLOCKS + 1);
    await evm.chain.broadcast(lost);
    await evm.mine();
    assert.deepEqual(await look(transfer, again), landed(again, 'final'));
    assert.deepEqual(await look(transfer, lost), EXPIRED);
    assert.equal(await received(transfer), transfer.amount);
  });

  test('the transaction that took the nonce is found at any age, also among others in its block', async () => {
    const transfer = payOf();
    const lost = await evm.chain.signTransfer(transfer);
    for (let i = 0; i < 3; i++) await send(transferOf(somebody(), USDC));
    for (const blocks of [FINAL_BLOCKS + 1, 1, 5, 20]) {
      await evm.mine(blocks);
      assert.deepEqual(await look(transfer, lost), EXPIRED);
    }
  });

  test('a native transfer that is not mined is open, not expired', async () => {
    const transfer = payOf();
    const signed = await evm.chain.signTransfer(transfer);
    await evm.mine(2 * FINAL_BLOCKS);
    assert.deepEqual(await look(transfer, signed), OPEN);
  });

  test('a node that lost our receipt cannot make a landed transfer expired', async () => {
    const transfer = payOf();
    const signed = await send(transfer);
    await evm.mine(FINAL_BLOCKS + 1);
    const rpc = await startBentNode(evm.node.url, async (method, _params, ask) =>
      method === 'eth_getTransactionReceipt' ? { result: null } : await ask(),
    );
    assert.deepEqual(await look(transfer, signed, evm.adapt({ rpc })), OPEN);
  });

  test('a node that does not show the transaction that used the nonce gives no outcome', async () => {
    const transfer = payOf();
    const lost = await loseNonce(transfer);
    await evm.mine(FINAL_BLOCKS + 1);
    const rpc = await startBentNode(evm.node.url, async (method, params, ask) => {
      const answer = await ask();
      return method === 'eth_getBlockByNumber' && params[1] === true
        ? { result: { ...(answer.result as object), transactions: [] } }
        : answer;
    });
    await assert.rejects(look(transfer, lost, evm.adapt({ rpc })), ChainUnavailable);
  });

  test('a native transfer reverted by a reorganisation is open again and lands once with the same bytes', async () => {
    const transfer = payOf();
    const signed = await send(transfer);
    await evm.mine(2);
    await evm.node.setFault({ mode: 'reorg' });
    assert.deepEqual(await look(transfer, signed), OPEN);
    await evm.chain.broadcast(signed);
    await evm.mine(SAFE_BLOCKS + 1);
    assert.deepEqual(await look(transfer, signed), landed(signed, 'final'));
    assert.equal(await received(transfer), transfer.amount);
  });

  test('a native transfer that its destination refuses is failed once that is finalized', async () => {
    const deployer = await evm.createPerson();
    const future = getContractAddress({ from: deployer.account.address, nonce: 0n });
    const transfer = payOf(future);
    const signed = await evm.chain.signTransfer(transfer);
    assert.equal(await deploy(evm, deployer, REFUSING), future.toLowerCase());
    await evm.chain.broadcast(signed);
    await evm.mine();
    assert.deepEqual(await look(transfer, signed), OPEN);
    await evm.mine(FINAL_BLOCKS - 1);
    assert.deepEqual(await look(transfer, signed), OPEN, 'safe is not enough');
    await evm.mine();
    const outcome = await look(transfer, signed);
    assert.match(outcome.state === 'failed' ? outcome.reason : outcome.state, /did not take the coin/);
    assert.equal(await received(transfer), 0n);
  });

  test('bytes of another transfer are refused', async () => {
    const transfer = payOf();
    const signed = await send(transfer);
    await evm.mine();
    for (const change of [{ amount: transfer.amount + 1n }, { destination: somebody() }])
      await assert.rejects(look({ ...transfer, ...change }, signed), ChainUnavailable);
    const foreign = await evm.chain.signTransfer(payOf());
    await assert.rejects(look(transfer, { ...signed, reference: foreign.reference }), ChainUnavailable);
    assert.equal((await look(transfer, signed)).state, 'landed');
  });

  test('a contract that accepts no coins is refused before anything is signed', async () => {
    const refusing = await deploy(evm, await evm.createPerson(), REFUSING);
    await assert.rejects(evm.chain.signTransfer(payOf(refusing)), refusedFor('destination'));
    await assert.rejects(evm.chain.signTransfer(payOf(evm.options.treasury.address)), refusedFor('destination'));
    await assert.rejects(evm.chain.signTransfer(payOf(`0x${'0'.repeat(40)}`)), refusedFor('destination'));
    await assert.rejects(evm.chain.signTransfer(payOf(somebody(), 0n)), refusedFor('other'));
  });

  test('a native transfer of more than the treasury holds, or of all without the fee, is refused for lack of coins', async () => {
    const { native } = await evm.chain.readBalances(evm.options.treasury.address);
    for (const amount of [native + 1n, native, native - 1n])
      await assert.rejects(evm.chain.signTransfer(payOf(somebody(), amount)), refusedFor('insufficient_native'));
  });

  test('without the treasury’s key a native transfer waits', async () => {
    const watching = evm.adapt({ treasury: { address: evm.options.treasury.address as Hex } });
    await assert.rejects(watching.signTransfer(payOf()), ChainUnavailable);
  });
});
