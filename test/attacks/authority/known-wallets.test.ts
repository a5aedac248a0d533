/** A public reference buys only for a wallet without any proof; strangers can neither spend for others nor stop them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deposited, openSigner } from '../../earn/stage.ts';
import { registerAgent } from '../../harness/agents.ts';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { hireBare, hireSigned, idOf, payoutsFor } from '../../harness/bare-transfers.ts';
import { payWith } from '../../harness/hostile-payers.ts';
import { call, type Envelope, expectCall, type Reply } from '../../harness/http.ts';
import { hireWith, openMachineBuyer, readOffer, requireHired, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import {
  advanceClock,
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  payOrder,
  placeOrder,
  requireSoundBooks,
  walletOf,
} from '../../harness/orders.ts';
import { createPayer } from '../../harness/payers.ts';
import { asHeaders, signed } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

const NETWORK = 'base-mainnet';
const RESERVED = '409 payment_reserved';
const WINDOW_SECONDS = 15 * 60;

let market: TestMarket;
let url: string;
/** A service that costs a machine 5.50. */
let service: string;
/** Services of the thief; they cost a machine 5.50 and 0.99. */
let bait: string;
let smallBait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  service = await listService(url, await openProvider(url), { price_usd: '5.00' });
  const thief = await openProvider(url);
  bait = await listService(url, thief, { price_usd: '5.00', title: 'Nothing at all' });
  smallBait = await listService(url, thief, { price_usd: '0.90', title: 'A small bite' });
});
after(() => market.close());

const pays = (buyer: Pick<Buyer, 'payer'>, micros = 5_500_000n) => buyer.payer.pay(buyer.payer.chain.treasury, micros);
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

/** Earlier acts of a wallet, each with a proof of its own. */
const histories: Readonly<Record<string, () => Promise<Pick<Buyer, 'payer'>>>> = {
  // This one runs first, because moving the clock makes signed payments expire.
  'a standard payment': async () => {
    const buyer = await openMachineBuyer(market, NETWORK);
    const offer = await readOffer(market, url, service, NETWORK);
    await requireHired(hireWith(url, service, versionTwo(offer, await buyer.authorise(offer))));
    return buyer;
  },
  'a standard payment that is under way': async () => {
    const buyer = await openMachineBuyer(market, NETWORK);
    const offer = await readOffer(market, url, service, NETWORK);
    const { pool } = market.database;
    await pool.query(`create function break_down() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
    await pool.query('create trigger broken before insert on x402_purchases for each row execute function break_down()');
    const reply = await hireWith(url, service, versionTwo(offer, await buyer.authorise(offer)));
    await pool.query('drop function break_down() cascade');
    assert.equal(reply.body['code'], 'payment_pending');
    return buyer;
  },
  'a paid order': async () => {
    const buyer = await openBuyer(market, NETWORK);
    await payOrder(url, await placeOrder(url, service, buyer), buyer);
    return buyer;
  },
  'an Earn position': async () => {
    const depositor = await openSigner(market);
    await deposited(market, depositor, 150);
    return depositor;
  },
  'a signed read': async () => {
    const buyer = await openBuyer(market, NETWORK);
    await expectCall(url, 200, 'GET /api/orders', { headers: asHeaders(await signed(buyer)) });
    return buyer;
  },
};

for (const [history, open] of Object.entries(histories)) {
  test(`V13: a stranger does not spend the next transfer of a wallet with ${history}`, async () => {
    const victim = await open();
    const reference = await pays(victim);
    const taken = await hireBare(url, bait, NETWORK, reference, 'All of it for me.');
    const stolen = taken.body['data']?.order_id;
    if (stolen !== undefined) {
      await advanceClock(url, WINDOW_SECONDS + 60);
      await until('the payout of the thief', async () => ((await payoutsFor(market, stolen)) > 0 ? true : undefined));
    }
    requireOutcomes({
      hire: [taken, RESERVED],
      'transfers spent': [await spent(reference), 0],
      'payouts to the thief': [stolen === undefined ? 0 : await payoutsFor(market, stolen), 0],
    });
  });
}

test('V13: the payer is notified when a transfer of an unknown wallet is presented bare', async () => {
  const payer = await openBuyer(market, NETWORK);
  const orderId = idOf(await hireBare(url, bait, NETWORK, await pays(payer), 'All of it for me.'));
  const isNotified = async (): Promise<true | undefined> => {
    const { body } = await call(url, 'GET /api/notifications', { headers: asHeaders(await signed(payer)) });
    const notices = body['data'] as readonly Envelope[];
    return notices.some((one) => one['type'] === 'payment_presented' && JSON.stringify(one).includes(orderId)) ? true : undefined;
  };
  requireOutcomes({ 'the payer is notified': [await until('a notification', isNotified, 10).catch(() => false), true] });
});

test('V13: a wallet that only ever paid by bare transfer can do so again', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const hires: Reply[] = [];
  for (const brief of ['A logo for a bakery.', 'A logo for a mill.'])
    hires.push(await hireBare(url, service, NETWORK, await pays(buyer), brief));
  requireOutcomes({ first: [hires[0] as Reply, '200'], second: [hires[1] as Reply, '200'] });
});

for (const [micros, trap] of [
  [990_000n, () => smallBait],
  [5_500_000n, () => bait],
] as const) {
  test(`V15: an authorisation over ${micros} micro-USDC that a stranger sent to the chain is no bare proof`, async () => {
    const [victim, stranger] = [await createPayer(market, NETWORK), await createPayer(market, NETWORK)];
    const reference = await payWith(victim, { how: 'sponsored', to: victim.chain.treasury, micros, sponsor: stranger });
    const taken = await hireBare(url, trap(), NETWORK, reference, 'All of it for me.');
    requireOutcomes({ hire: [taken, RESERVED], 'transfers spent': [await spent(reference), 0] });
    const own = await hireSigned(url, trap(), { ...walletOf(victim), payer: victim }, reference, 'What I wanted.');
    requireOutcomes({ 'hire with the payer’s signature': [own, '200'] });
  });
}

for (const network of [NETWORK, 'solana-mainnet'] as const) {
  test(`V22: a payout address that a stranger names can still pay by bare transfer, on ${network}`, async () => {
    const buyer = await openBuyer(market, network);
    const { key } = await registerAgent(url);
    const field = network === NETWORK ? 'payout_address_base' : 'payout_wallet';
    await expectCall(url, 200, 'PATCH /api/agents/me', { key, body: { [field]: buyer.address } });
    const reference = await pays(buyer);
    requireOutcomes({
      'bare hire': [await hireBare(url, service, network, reference, 'A logo for a bakery.'), '200'],
      'transfers spent': [await spent(reference), 1],
    });
  });
}

test('the books are sound after payments of known wallets', async () => {
  await requireSoundBooks(market);
});
