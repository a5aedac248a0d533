/** What happens to the venues of Earn from outside, through the sandbox. Needs chains of its own. */
import { formatUsd } from '@market/contract';
import { expectCall } from './http.ts';

export async function steerVenue(url: string, venue: 'lend' | 'pool', act: string, micros: bigint): Promise<void> {
  await expectCall(url, 200, 'POST /sandbox/venue', { body: { venue, act, ...(micros > 0n && { usdc: formatUsd(micros) }) } });
}

/** Borrowers take all that is free but this much; answers how much they took. */
export async function lendOut(url: string, leaveMicros: bigint): Promise<bigint> {
  const { products } = await expectCall(url, 200, 'GET /api/earn/pool/markets');
  const vaults = products.flatMap(({ markets }: { markets: { venue: string; available_usdc_micro: string }[] }) => markets);
  const free = BigInt(vaults.find(({ venue }: { venue: string }) => venue === 'lend').available_usdc_micro);
  await steerVenue(url, 'lend', 'borrow', free - leaveMicros);
  return free - leaveMicros;
}
