/** Types and words shared by the pages of Earn. Every number has its unit. */
import { type EarnPeriod, formatUsd } from '@market/contract';
import type { Answer } from '../../data/answers.ts';

export type EarnMarkets = Answer<'earn.markets'>['data'];
export type EarnProduct = EarnMarkets['products'][number];
export type Vault = EarnProduct['markets'][number];
export type Position = Answer<'earn.positions'>['data'][number];
export type Movement = Answer<'earn.movements'>['data'][number];

export const periodWords: Readonly<Record<EarnPeriod, string>> = { '7d': '7 days', '30d': '30 days', '90d': '90 days', '1y': '1 year' };

export const riskWords = { lower: 'lower risk', higher: 'higher risk' } as const;

export function rateOf(vault: Vault): number | null {
  return 'fee_apr_pct' in vault ? vault.fee_apr_pct : vault.apr_pct;
}

/** Percent per year; 0 is a rate, null is unknown. */
export function rateWords(percent: number | null): string {
  return percent === null ? 'not known' : `${percent.toFixed(2)}% a year`;
}

const CENT = 10_000n;

/** Whole cents, rounded down: for large figures, where a millionth does not matter. */
export function centsOf(micros: string): string {
  const amount = BigInt(micros);
  return formatUsd((amount / CENT) * CENT);
}

/** The vault, and the product it belongs to. */
export function findVault(markets: EarnMarkets, key: string): { readonly product: EarnProduct; readonly vault: Vault } | undefined {
  for (const product of markets.products) {
    const vault = product.markets.find((candidate) => candidate.key === key);
    if (vault !== undefined) return { product, vault };
  }
  return undefined;
}

export function queueWords(waiting: number): string {
  if (waiting === 0) return 'nobody waits';
  return waiting === 1 ? '1 withdrawal waits' : `${waiting} withdrawals wait`;
}

/** How the venue's free USDC affects a withdrawal. */
export function freeWords({ available_usdc_micro }: Vault): string {
  return available_usdc_micro === '0' ? 'a withdrawal waits' : 'can be paid out at once';
}

/** `-1.20` and `+1.20`: the sign shows gain or loss, in addition to the colour. */
export function signed(usd: string): string {
  return usd.startsWith('-') || /^0(?:\.0+)?$/.test(usd) ? usd : `+${usd}`;
}

/** Whether the movement continues by itself. */
export function isMoving({ status }: Pick<Movement, 'status'>): boolean {
  return status !== 'deployed' && status !== 'refunded' && status !== 'settled' && status !== 'held';
}
