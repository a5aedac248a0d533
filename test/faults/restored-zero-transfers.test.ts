/**
 * USDC lets anybody move 0 out of any account: `transferFrom` of 0 needs no allowance and logs a `Transfer`. Address-poisoning programs
 * do this to every busy account.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { erc20Abi, type Hex } from 'viem';
import { fundWallet, openOwnedAgent, send } from '../agent-wallets/stage.ts';
import { createPayer, freshAddress, untilLanded } from '../harness/payers.ts';
import { baseWallet } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, USDC, until } from '../money/money.ts';
import { payForOrder, queueOutgoing, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { readReason, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

async function moveNothing(from: string): Promise<void> {
  const stranger = await createPayer(shared, NETWORK, 1n);
  assert.ok(stranger.kind === 'evm');
  const reference = await stranger.wallet.writeContract({
    address: stranger.chain.usdcAddress as Hex,
    abi: erc20Abi,
    functionName: 'transferFrom',
    args: [from as Hex, freshAddress(NETWORK) as Hex, 0n],
    gas: 200_000n,
  });
  await untilLanded(stranger.chain, reference, 'final');
  const { status } = await stranger.reader.getTransactionReceipt({ hash: reference });
  assert.equal(status, 'success', 'USDC lets anybody transfer nothing');
}

test('B05, B07: a stranger’s transfer of 0 USDC out of a treasury or an agent’s wallet does not close outflow and is not booked', {
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  const { money } = shared;
  const first = await startCompared(shared);
  const agent = await openOwnedAgent(first.url);
  await fundWallet(shared, agent, NETWORK, { usdcMicros: 20n * USDC });
  await first.kill('SIGTERM');
  await moveNothing(chainOf(shared, NETWORK).treasury);
  await moveNothing(agent.evm);

  // Each account is compared before the service signs for it.
  const second = await shared.startServer();
  const subjectId = await payForOrder(money, await createPayer(shared, NETWORK), 2n * USDC);
  const payout = await queueOutgoing(money, { purpose: 'payout', network: NETWORK, subjectId, amountMicros: 2n * USDC });
  const to = baseWallet().address;
  const reply = await send(second.url, agent, { chain: 'base', to, asset: 'usdc', amount: '5' });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  await until('the send', async () => ((await chainOf(shared, NETWORK).readBalances(to)).usdcMicros === 5n * USDC ? true : undefined));
  await untilState(money, payout.id, 'confirmed');
  assert.equal(await readReason(shared), null);
  await second.kill('SIGTERM');

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.match(output, /Outflow is open\./);
  const { rows } = await shared.database.pool.query(
    'select reference from unbooked_outflows union all select reference from found_outflows',
  );
  assert.deepEqual(rows, []);
});
