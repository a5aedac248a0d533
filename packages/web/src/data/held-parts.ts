/** Funds of the treasuries as parts of one snapshot, for the footer and the explorer. They add up to the balance on chain. */
import { formatUsd, parseUsd } from '@market/contract';
import type { Answer } from './answers.ts';

export type Held = Answer<'stats.held'>['data'];

export interface HeldPart {
  readonly label: string;
  readonly usd: string;
}

/** The four parts of the bar, in order. Parts of 0 are omitted, except the amount owed. */
export function heldParts(held: Held): readonly HeldPart[] {
  const parts: readonly HeldPart[] = [
    { label: 'owed to buyers and sellers', usd: held.owed_usd },
    { label: 'on its way out', usd: held.on_its_way_usd },
    { label: 'received, being booked', usd: held.unbooked_usd },
    { label: 'fees', usd: held.own_usd },
  ];
  return parts.filter(({ usd }, index) => index === 0 || isSomething(usd));
}

type Owed = Held['networks'][number]['owed'];

const owedWords: Readonly<Record<keyof Owed, string>> = {
  escrow_usd: 'Held for orders and claim stakes',
  agents_usd: 'Released, to be sent to agents',
  refunds_usd: 'Refunds to be sent',
  surplus_usd: 'Paid beyond a price',
  unmatched_usd: 'Received, claimed by nobody yet',
  earn_usd: 'Going into or coming out of Earn',
};

/** Amounts owed, by kind. */
export function owedParts({ networks }: Held): readonly HeldPart[] {
  return (Object.keys(owedWords) as (keyof Owed)[])
    .map((kind) => ({ label: owedWords[kind], usd: formatUsd(networks.reduce((sum, { owed }) => sum + (parseUsd(owed[kind]) ?? 0n), 0n)) }))
    .filter(({ usd }, index) => index === 0 || isSomething(usd));
}

/** Amounts can be negative: the marketplace's own money may be lent between networks. */
function isSomething(usd: string): boolean {
  return parseUsd(usd.replace(/^-/, '')) !== 0n;
}
