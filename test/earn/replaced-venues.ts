/** Replaces functions of Base's venues, so that workers get a test's answers instead of the chain's. */
import assert from 'node:assert/strict';
import { type Chain, ChainUnavailable } from '../../packages/server/src/platform/chains/chain.ts';
import type { TestMarket } from '../harness/market.ts';
import { until } from '../money/money.ts';

export function replaceVenues(market: Pick<TestMarket, 'chains'>) {
  const chains = market.chains as Map<'base-mainnet', Chain>;
  const chain = chains.get('base-mainnet');
  assert.ok(chain?.venues);
  const venues = { ...chain.venues, before: chain.venues };
  chains.set('base-mainnet', { ...chain, venues });
  return { venues, restore: () => void chains.set('base-mainnet', chain) };
}

/** Until the returned function runs, Base signs no calls of vaults. */
export function refuseToSign(market: Pick<TestMarket, 'chains'>): () => void {
  const { venues, restore } = replaceVenues(market);
  venues.sign = () => Promise.reject(new ChainUnavailable('base-mainnet', 'a test signs nothing'));
  return restore;
}

/** Ends the lease of the worker that checks a redemption, so that another worker takes the job and signs. */
export async function signedByAnother({ database: { pool } }: Pick<TestMarket, 'database'>): Promise<void> {
  await pool.query(`update jobs set lease_until = clock_timestamp() where lease_until is not null and kind = 'earn.advance_intent'`);
  await until('the signature of the second worker', async () => {
    const { rows } = await pool.query(`select 1 from earn_intents where kind = 'redeem' and state in ('signed', 'sent', 'unknown')`);
    return rows[0];
  });
}
