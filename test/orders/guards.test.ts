/** Every condition of the transition table is refused over HTTP with its own code. Timers are off, so that only the rule decides. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errorCatalogue, type OrderCommand, statusOfKind } from '@market/contract';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { OrderRefusal } from '../../packages/contract/src/orders/lifecycle-guards.ts';
import { watchChains } from '../../packages/server/src/features/payments/index.ts';
import { expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  advanceClock,
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
} from '../harness/orders.ts';
import { type EvmPayer, freshAddress, untilLanded } from '../harness/payers.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { openMoney, until } from '../money/money.ts';
import { give } from './entrances.ts';
import { recordOf } from './order-record.ts';
import { requireEntrance } from './stage.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const NETWORK = 'base-mainnet';

/** Codes of the market's own timers, which no caller gets. */
const ofTimers = ['workspace_running', 'review_window_open', 'deadline_not_reached'] as const;
type Proven = Exclude<OrderRefusal, (typeof ofTimers)[number] | 'illegal_transition'>;

let market: TestMarket;
let provider: Provider;
let buyer: Buyer;
let services: Record<'plain' | 'final' | 'weekly' | 'once' | 'asked', string>;
before(async () => {
  market = await openMarket({ ...withOwnChains, JOBS: 'off' });
  const { url } = market;
  [buyer, provider] = await Promise.all([openBuyer(market, NETWORK), openProvider(url)]);
  services = {
    plain: await listService(url, provider, { turnaround_hours: 10 }),
    final: await listService(url, provider, { max_revisions: 0 }),
    weekly: await listService(url, provider, { price_type: 'weekly' }),
    once: await listService(url, provider, { quota_limit: 1 }),
    asked: await listService(url, provider, { price_type: 'quote', price_usd: '0' }),
  };
});
after(async () => {
  await market.close();
});

const byBuyer = async (id: string, command: OrderCommand): Promise<Reply> =>
  await give(market.url, requireEntrance(command), id, asHeaders(await signed(buyer)));
const byProvider = async (id: string, command: OrderCommand): Promise<Reply> =>
  await give(market.url, requireEntrance(command), id, provider.headers);

async function allow(reply: Promise<Reply>): Promise<void> {
  const { status, body } = await reply;
  assert.equal(status, 200, JSON.stringify(body));
}

/** Requires that each attempt is refused with the code and changes nothing. */
async function refuse(id: string, code: Proven, attempts: readonly (() => Promise<Reply>)[]): Promise<void> {
  const record = await recordOf(market, id);
  for (const attempt of attempts) {
    const { status, body } = await attempt();
    assert.deepEqual({ status, code: body['code'] }, { status: statusOfKind[errorCatalogue[code].kind], code }, JSON.stringify(body));
    assert.equal(await recordOf(market, id), record);
  }
}

async function paid(service: keyof typeof services): Promise<string> {
  const id = await placeOrder(market.url, services[service], buyer);
  await payOrder(market.url, id, buyer);
  return id;
}

async function delivered(service: 'plain' | 'final' = 'plain'): Promise<string> {
  const id = await paid(service);
  await allow(byProvider(id, 'deliver'));
  return id;
}

/** The actions that the buyer lacks only because of a condition. */
async function unavailable(id: string): Promise<string[]> {
  const view = await readOrder(market.url, id, buyer);
  return view.unavailable_actions.map(({ action }: { action: string }) => action).sort();
}

const proofs: Readonly<Record<Proven, () => Promise<void>>> = {
  async price_is_listed() {
    const id = await placeOrder(market.url, services.plain, buyer);
    await refuse(id, 'price_is_listed', [() => byProvider(id, 'quote')]);
  },

  async quote_changed() {
    const { url } = market;
    const id = await placeOrder(url, services.asked, buyer);
    const quote = async (turnaround_hours: number) =>
      await expectCall(url, 200, `POST /api/orders/${id}/quote`, {
        headers: provider.headers,
        body: { price_usd: '9.00', turnaround_hours },
      });
    await quote(24);
    // The buyer is about to pay for 24 hours when the quote changes to a year.
    await quote(8760);
    await refuse(id, 'quote_changed', [() => byBuyer(id, 'pay')]);
    assert.deepEqual(await unavailable(id), ['pay']);
    await allow(byBuyer(id, 'accept'));
    await payOrder(url, id, buyer);
  },

  async not_a_workspace() {
    const id = await paid('plain');
    await allow(byProvider(id, 'start'));
    await refuse(id, 'not_a_workspace', [() => byBuyer(id, 'generate')]);
  },

  async revision_limit_reached() {
    const id = await delivered('final');
    await refuse(id, 'revision_limit_reached', [() => byBuyer(id, 'revision')]);
    assert.deepEqual(await unavailable(id), ['revision']);
    await allow(byProvider(id, 'allow_revision'));
    await allow(byBuyer(id, 'revision'));
    await allow(byProvider(id, 'deliver'));
    await refuse(id, 'revision_limit_reached', [() => byBuyer(id, 'revision')]);
  },

  async quota_exhausted() {
    const id = await paid('once');
    await allow(byBuyer(id, 'generate'));
    await refuse(id, 'quota_exhausted', [() => byBuyer(id, 'generate')]);
    assert.deepEqual(await unavailable(id), ['generate']);
  },

  async review_exists() {
    const id = await delivered();
    await allow(byBuyer(id, 'approve'));
    await allow(byBuyer(id, 'review'));
    await refuse(id, 'review_exists', [() => byBuyer(id, 'review')]);
  },

  async related_party() {
    const own = await openProvider(market.url, NETWORK, buyer);
    const id = await placeOrder(market.url, await listService(market.url, own), buyer);
    await payOrder(market.url, id, buyer);
    await allow(give(market.url, requireEntrance('deliver'), id, own.headers));
    await allow(byBuyer(id, 'approve'));
    await refuse(id, 'related_party', [() => byBuyer(id, 'review')]);
  },

  async delivery_overdue() {
    const id = await paid('plain');
    await advanceClock(market.url, 10 * HOUR + DAY);
    await refuse(id, 'delivery_overdue', [() => byProvider(id, 'start'), () => byProvider(id, 'deliver')]);
    await allow(byProvider(id, 'refund'));
  },

  async review_window_over() {
    const id = await delivered();
    await advanceClock(market.url, 48 * HOUR);
    const late: readonly (() => Promise<Reply>)[] = [
      () => byBuyer(id, 'revision'),
      () => byBuyer(id, 'dispute'),
      () => byProvider(id, 'allow_revision'),
      () => byProvider(id, 'deliver'),
    ];
    await refuse(id, 'review_window_over', late);
    assert.deepEqual(await unavailable(id), ['dispute', 'revision']);
    await allow(byBuyer(id, 'approve'));
  },

  async revision_overdue() {
    const id = await delivered();
    await allow(byBuyer(id, 'revision'));
    await advanceClock(market.url, 7 * DAY);
    await refuse(id, 'revision_overdue', [() => byProvider(id, 'deliver')]);
  },

  async workspace_over() {
    const id = await paid('weekly');
    await allow(byBuyer(id, 'generate'));
    await advanceClock(market.url, 7 * DAY);
    await refuse(id, 'workspace_over', [() => byBuyer(id, 'generate'), () => byProvider(id, 'answer_request')]);
  },

  // No command leaves a workspace in `paid`, so SQL sets the state.
  async workspace_works_by_requests() {
    const id = await paid('weekly');
    await market.database.pool.query(`update orders set status = 'paid' where id = $1`, [id]);
    await refuse(id, 'workspace_works_by_requests', [() => byProvider(id, 'start'), () => byProvider(id, 'deliver')]);
  },

  // The state of an order paid over HTTP: the provider has the money already.
  async already_settled() {
    const id = await paid('plain');
    await market.database.pool.query(`insert into settlements values ($1, 'payout', 9000000, 1000000, 0)`, [id]);
    await refuse(id, 'already_settled', [() => byBuyer(id, 'cancel'), () => byProvider(id, 'refund')]);
  },

  async payment_reverted() {
    const payer = buyer.payer as EvmPayer;
    // The payer's money must be final, out of reach of the reorganisation.
    await payer.pay(freshAddress(NETWORK), 1n, 'final');
    const id = await until('a payment that is taken back', async () => {
      const order = await placeOrder(market.url, services.plain, buyer);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [payer.chain.treasury as Hex, 10_000_000n] });
      const reference = await payer.wallet.sendTransaction({ to: payer.chain.usdcAddress as Hex, data, gas: 200_000n });
      await untilLanded(payer.chain, reference, 'confirmed');
      await allow(give(market.url, requireEntrance('pay'), order, asHeaders(await signed(buyer)), { escrow_tx_hash: reference }));
      await market.localChains?.setFault({ network: NETWORK, mode: 'reorg' });
      return (await payer.chain.readReceipt(reference)).state === 'missing' ? order : undefined;
    });
    const money = await openMoney(market);
    await watchChains(money);
    await money.clock.advance(10);
    await watchChains(money);
    money.clock.stop();
    const attempts: readonly (() => Promise<Reply>)[] = [
      () => byBuyer(id, 'cancel'),
      () => byProvider(id, 'start'),
      () => byProvider(id, 'deliver'),
      () => byProvider(id, 'refund'),
    ];
    await refuse(id, 'payment_reverted', attempts);
    const view = await readOrder(market.url, id, buyer);
    assert.deepEqual([view.order.payment_reverted, view.money.state, view.allowed_actions], [true, 'reverted', []]);
  },
};

describe('the conditions of the transition table, over HTTP', () => {
  for (const [code, proof] of Object.entries(proofs)) test(`${code}: an order command is refused and changes nothing`, proof);

  test('an answer without an open workspace request is refused', async () => {
    const id = await paid('weekly');
    const record = await recordOf(market, id);
    const { status, body } = await byProvider(id, 'answer_request');
    assert.deepEqual([status, body['code']], [400, 'no_open_request']);
    assert.equal(await recordOf(market, id), record);
  });
});
