/** Transfers for bounties that a reorganisation reverts: the stake waits, and the winner loses neither time nor stake. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { postBounty, tryAccept, withdrawClaim } from '../harness/bounties.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver, openBuyer, readOrder, requireSoundBooks } from '../harness/orders.ts';
import { freshAddress, untilLanded } from '../harness/payers.ts';
import { openStaker, payStake, STAKE, STAKE_MICROS, type Staker, tryClaimWith } from '../harness/stakes.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

/** Claims with a confirmed stake, whose transfer the chain then reverts; returns the signed transaction, to be sent again. */
async function claimAndTakeBack(staker: Staker, post: () => Promise<string>): Promise<{ id: string; raw: Hex; reference: Hex }> {
  const { payer } = staker;
  assert.ok(payer.kind === 'evm');
  const { chain, wallet } = payer;
  return await until('a stake that is taken back', async () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, STAKE_MICROS] });
    const raw = await wallet.signTransaction(await wallet.prepareTransactionRequest({ to: chain.usdcAddress as Hex, data, gas: 200_000n }));
    const id = await post();
    const reference = await wallet.sendRawTransaction({ serializedTransaction: raw });
    await untilLanded(chain, reference, 'confirmed');
    const reply = await tryClaimWith(market.url, id, staker, reference);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    await market.localChains?.setFault({ network: chain.network, mode: 'reorg' });
    return (await chain.readReceipt(reference)).state === 'missing' ? { id, raw, reference } : undefined;
  });
}

test('C07: the payout of a withdrawn stake waits while its transfer is reverted, and arrives once the chain includes it again', async () => {
  const { url, database } = market;
  const poster = await openBuyer(market, 'base-mainnet');
  const staker = await openStaker(market, url);
  const { payer } = staker;
  assert.ok(payer.kind === 'evm');
  // The money for the stake must be final, out of reach of the reorganisation.
  await payer.pay(freshAddress('base-mainnet'), 1n, 'final');
  const { id, raw, reference } = await claimAndTakeBack(staker, async () => (await postBounty(url, poster, { claim_stake_usd: STAKE })).id);
  await until('the transfer to be gone', async () => {
    await advanceClock(url, 10);
    const { rows } = await database.pool.query('select finality from chain_receipts where reference = $1', [reference]);
    return rows[0]?.finality === 'gone' ? true : undefined;
  });
  assert.equal((await withdrawClaim(url, id, staker)).status, 200);
  const readPayout = async () =>
    (
      await database.pool.query(
        `select p.state, p.reason from payouts p join bounty_stakes s on s.id = p.subject_id where s.reference = $1`,
        [reference],
      )
    ).rows[0];
  const waiting = await until('the payout to wait', async () => {
    const payout = await readPayout();
    return payout.reason === null ? undefined : payout;
  });
  assert.equal(waiting.state, 'queued');
  assert.match(waiting.reason, /took the payment back/);
  await payer.wallet.sendRawTransaction({ serializedTransaction: raw });
  await untilLanded(payer.chain, reference, 'final');
  await until('the stake to arrive', async () => {
    await advanceClock(url, 10);
    return (await readPayout()).state === 'confirmed' ? true : undefined;
  });
  await requireSoundBooks(market);
});

const finalityOf = async (reference: string) =>
  (await market.database.pool.query('select finality from chain_receipts where reference = $1', [reference])).rows[0]?.finality;

test('C07: a winner whose order was frozen past its deadline gets the frozen time, delivers, and keeps the stake', async () => {
  const { url, database } = market;
  const poster = await openBuyer(market, 'base-mainnet');
  const staker = await openStaker(market, url);
  assert.ok(poster.payer.kind === 'evm');
  const { chain, wallet } = poster.payer;
  await poster.payer.pay(freshAddress('base-mainnet'), 1n, 'final');
  const { order, raw, reference } = await until('an escrow that is taken back', async () => {
    const { id } = await postBounty(url, poster, { claim_stake_usd: STAKE });
    const claimed = await tryClaimWith(url, id, staker, await payStake(staker, STAKE_MICROS, 'final'));
    assert.equal(claimed.status, 201, JSON.stringify(claimed.body));
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, 11_000_000n] });
    const raw = await wallet.signTransaction(await wallet.prepareTransactionRequest({ to: chain.usdcAddress as Hex, data, gas: 200_000n }));
    const reference = await wallet.sendRawTransaction({ serializedTransaction: raw });
    await untilLanded(chain, reference, 'confirmed');
    const accepted = await tryAccept(url, id, claimed.body['data'].claim_id, poster, reference);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    await market.localChains?.setFault({ network: chain.network, mode: 'reorg' });
    const order: string = accepted.body['data'].order_id;
    return (await chain.readReceipt(reference)).state === 'missing' ? { order, raw, reference } : undefined;
  });
  await until('the transfer to be gone', async () => {
    await advanceClock(url, 10);
    return (await finalityOf(reference)) === 'gone' ? true : undefined;
  });
  // The work is due in 24 hours, with 24 hours of grace.
  await advanceClock(url, 49 * 3600);
  assert.equal((await deliver(url, order, staker)).body['code'], 'payment_reverted');
  assert.equal((await readOrder(url, order, poster)).order.status, 'paid', 'a frozen order does not expire');
  await wallet.sendRawTransaction({ serializedTransaction: raw });
  await untilLanded(chain, reference, 'final');
  await until('the transfer to be back', async () => ((await finalityOf(reference)) === 'final' ? true : undefined));
  // The sweep looks for overdue orders within this time.
  await advanceClock(url, 61);
  const delivered = await deliver(url, order, staker);
  assert.equal(delivered.status, 200, JSON.stringify(delivered.body));
  assert.equal((await act(url, order, poster, 'approve')).status, 200);
  const { rows } = await database.pool.query(
    `select s.status from bounty_stakes s join bounty_claims c on c.stake_id = s.id join bounties b on b.accepted_claim_id = c.id where b.order_id = $1`,
    [order],
  );
  assert.equal(rows[0]?.status, 'returned');
  await requireSoundBooks(market);
});
