/** What the treasuries hold, taken apart so that the parts always add up to what lies on the chains. */
import { formatUsd, parseUsd } from '@market/contract';
import type { Answer } from '../../data/answers.ts';

export type Held = Answer<'stats.held'>['data'];
type Reading = Held['networks'][number];

export interface HeldPart {
  readonly label: string;
  readonly usd: string;
  readonly kind?: 'total';
}

const owedWords: Readonly<Record<keyof Reading['owed'], string>> = {
  escrow_usd: 'Held for orders',
  agents_usd: 'Released, to be sent to agents',
  refunds_usd: 'Refunds to be sent',
  surplus_usd: 'Paid beyond a price',
  unmatched_usd: 'Received, claimed by nobody yet',
  in_flight_usd: 'On its way out',
};

/** Money that is not there is not worth a line, except what orders hold: that is what everybody looks for. */
export function partsOf({ networks, held_usd, owed_usd, own_usd }: Held, serviceName: string): readonly HeldPart[] {
  const owed = (Object.keys(owedWords) as (keyof Reading['owed'])[])
    .map((kind) => ({ kind, micros: networks.reduce((sum, reading) => sum + microsOf(reading.owed[kind]), 0n) }))
    .filter(({ kind, micros }) => micros !== 0n || kind === 'escrow_usd')
    .map(({ kind, micros }) => ({ label: owedWords[kind], usd: formatUsd(micros) }));
  const rest = microsOf(held_usd) - microsOf(owed_usd) - microsOf(own_usd);
  return [
    ...owed,
    { label: 'Owed to buyers and sellers', usd: owed_usd, kind: 'total' },
    { label: `Fees earned by ${serviceName}`, usd: own_usd },
    ...(rest === 0n ? [] : [{ label: restWords(rest), usd: formatUsd(rest) }]),
    { label: 'Held on chain', usd: held_usd, kind: 'total' },
  ];
}

/** What is on its way out may have left the treasury before the books call it arrived. */
function restWords(rest: bigint): string {
  return rest < 0n ? 'Has left already, arrival to be seen' : 'On chain, not in the books yet';
}

/** Own money may be lent between networks, so a single one can be below zero. */
function microsOf(usd: string): bigint {
  return usd.startsWith('-') ? -(parseUsd(usd.slice(1)) ?? 0n) : (parseUsd(usd) ?? 0n);
}
