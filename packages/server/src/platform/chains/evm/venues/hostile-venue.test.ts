import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { EARN_ROUTER_ADDRESS, earnRouter, USDC_ADDRESS } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import {
  authorize,
  type Person,
  receiptOf,
  refusedFor,
  sendUsdc,
  somebody,
  startTestChain,
  type TestChain,
  USDC,
} from '../../../../../testing/evm-test-chain.ts';
import {
  allowNow,
  deployHostileVenue,
  depositNow,
  depositOf,
  type HostileMode,
  type HostileVenue,
  newIntent,
  redeemOf,
  resultNow,
  untilDecided,
  venuesOf,
} from '../../../../../testing/venue-test-bench.ts';
import type { YieldVenues } from '../../yield-venues.ts';
import { intentOf } from './venue-calldata.ts';

describe('a hostile venue', () => {
  let evm: TestChain;
  let venues: YieldVenues;
  let stranger: Person;
  let hostile: HostileVenue;
  let treasury: Hex;

  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    venues = venuesOf(evm.chain);
    treasury = evm.treasuryWallet.account.address;
    stranger = await evm.createPerson({ micros: 1_000n * USDC });
  });
  beforeEach(async () => {
    hostile = await deployHostileVenue(evm, stranger);
  });

  const expectNothingMoved = async (work: () => Promise<void>) => {
    const before = await evm.balanceOf(treasury);
    await work();
    assert.equal(await evm.balanceOf(treasury), before);
    assert.equal(await evm.balanceOf(EARN_ROUTER_ADDRESS), 0n, 'the router holds nothing');
  };

  for (const mode of ['mints_less', 'reverts', 'mints_nothing', 'takes_nothing'] as const) {
    test(`a deposit into a venue that ${mode.replace('_', ' ')} is refused before anything is signed`, async () => {
      const units = await venues.previewDeposit(hostile.at, 100n * USDC);
      await hostile.setMode(mode);
      await expectNothingMoved(async () => {
        await assert.rejects(venues.sign(depositOf(hostile.at, 100n * USDC, units)), refusedFor('venue'));
      });
    });

    test(`a venue that ${mode.replace('_', ' ')} after the signature leaves the USDC in the treasury, and the deposit has failed`, async () => {
      const call = depositOf(hostile.at, 100n * USDC, await venues.previewDeposit(hostile.at, 100n * USDC));
      const signed = await venues.sign(call);
      await hostile.setMode(mode);
      await expectNothingMoved(async () => {
        await evm.chain.broadcast(signed);
        assert.equal((await untilDecided(evm.chain, call, signed)).state, 'failed');
      });
    });
  }

  async function depositHonestly(): Promise<bigint> {
    const { units } = await depositNow(evm.chain, hostile.at, 100n * USDC);
    await allowNow(evm.chain, hostile.at);
    return units;
  }

  for (const mode of ['pays_less', 'pays_nothing', 'burns_more', 'reverts'] satisfies HostileMode[]) {
    test(`a venue that ${mode.replace('_', ' ')} on redemption is refused, and the treasury keeps its units`, async () => {
      const units = await depositHonestly();
      const call = redeemOf(hostile.at, units / 2n, ((units / 2n) * 99n) / 100n);
      const signed = await venues.sign(call);
      await hostile.setMode(mode);
      await assert.rejects(venues.sign(call), refusedFor('venue'));
      await expectNothingMoved(async () => {
        await evm.chain.broadcast(signed);
        assert.equal((await untilDecided(evm.chain, call, signed)).state, 'failed');
      });
      assert.equal((await venues.read(hostile.at)).heldUnits, units);
    });
  }

  test('a venue that calls the router back is refused by every function of the router', async () => {
    const { abi } = earnRouter;
    const inner: Hex[] = [
      encodeFunctionData({
        abi,
        functionName: 'redeem',
        args: [USDC_ADDRESS, hostile.at.venue as Hex, 1n, 0n, intentOf({ intentId: newIntent() })],
      }),
      encodeFunctionData({
        abi,
        functionName: 'deposit',
        args: [USDC_ADDRESS, hostile.at.venue as Hex, 1n, 0n, intentOf({ intentId: newIntent() }), 2n ** 40n, '0x'],
      }),
    ];
    const units = await depositHonestly();
    for (const data of inner) {
      await hostile.setCallback(EARN_ROUTER_ADDRESS, data);
      await hostile.setMode('calls_back');
      await assert.rejects(venues.sign(depositOf(hostile.at, USDC, 1n)), /re-entered/);
      await assert.rejects(venues.sign(redeemOf(hostile.at, units, 1n)), /re-entered/);
      await hostile.setMode('honest');
    }
  });

  test('a venue that adds a stranger’s transfer to a redemption changes the receipt, not the measured result', async () => {
    const units = await depositHonestly();
    await hostile.setCallback(USDC_ADDRESS, await authorize(stranger, treasury, 7n * USDC));
    await hostile.setMode('calls_back');
    const call = redeemOf(hostile.at, units, units);
    const signed = await venues.sign(call);
    await evm.chain.broadcast(signed);
    const outcome = await untilDecided(evm.chain, call, signed);
    assert.equal(outcome.state, 'landed');
    assert.deepEqual(await venues.readResult(call, outcome.reference), { assets: 100n * USDC, units });
    const { payers, receivedMicros } = await receiptOf(evm, outcome.reference);
    assert.equal(receivedMicros, 107n * USDC);
    assert.deepEqual(
      new Map(payers.map(({ address, micros }) => [address, micros])),
      new Map([
        [EARN_ROUTER_ADDRESS as string, 100n * USDC],
        [stranger.account.address, 7n * USDC],
      ]),
    );
  });

  test('a venue that lost its USDC shows a lower value, and the minimum of the withdrawal decides', async () => {
    const units = await depositHonestly();
    await hostile.lose(somebody(), 50n * USDC);
    const value = await venues.valueOf(hostile.at, units);
    assert.ok(value < 51n * USDC);
    await assert.rejects(venues.sign(redeemOf(hostile.at, units, 100n * USDC)), refusedFor('venue'));
    assert.equal((await resultNow(evm.chain, redeemOf(hostile.at, units, value))).assets, value);
  });

  test('units that somebody gives the treasury count as held and belong to no intent', async () => {
    await sendUsdc(stranger, EARN_ROUTER_ADDRESS, USDC);
    const { units } = await depositNow(evm.chain, hostile.at, 10n * USDC);
    assert.equal(units, 10n * USDC, 'USDC that lay in the router is not deposited');
  });
});
