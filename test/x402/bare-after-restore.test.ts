/** Restored books do not know which wallets proved themselves since. So an earlier transfer needs a proof, and no stranger spends it. */
import { after, before, test } from 'node:test';
import { requireOutcomes } from '../harness/authority.ts';
import { hireBare, hireSigned } from '../harness/bare-transfers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { listService, openBuyer, openProvider } from '../harness/orders.ts';
import { USDC } from '../money/money.ts';

const NETWORK = 'base-mainnet';
let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

test('B09, V06: after a restore a stranger cannot spend an earlier transfer by its hash; a signature of the payer does', async () => {
  const { url, database } = market;
  const service = await listService(url, await openProvider(url, NETWORK), { price_usd: '5.00' });
  const [victim, later] = [await openBuyer(market, NETWORK, 100n * USDC), await openBuyer(market, NETWORK, 100n * USDC)];
  const reference = await victim.payer.pay(victim.payer.chain.treasury, 5_500_000n, 'final');
  const restoredAt = async (seconds: number) =>
    await database.pool.query(
      `insert into known_place (place, restored_at) values (database_place(), market_now() + make_interval(secs => $1))
       on conflict (only_row) do update set restored_at = excluded.restored_at`,
      [seconds],
    );
  // Block times of a local chain may be ahead of our clock.
  await restoredAt(3_600);
  const stolen = await hireBare(url, service, NETWORK, reference, 'A logo for a bakery.');
  const own = await hireSigned(url, service, victim, reference, 'A logo for a bakery.');
  await restoredAt(-60);
  const fresh = await later.payer.pay(later.payer.chain.treasury, 5_500_000n, 'final');
  requireOutcomes({
    'the stranger': [stolen, '409 payment_reserved'],
    'the payer': [own, '200'],
    'a transfer of after the restore': [await hireBare(url, service, NETWORK, fresh, 'A logo for a café.'), '200'],
  });
});
