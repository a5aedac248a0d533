/** The filters of the explorer in the URL: every view is a link. */
import { type NetworkName, networkNames } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';

export type PaymentKind = Answer<'stats.payments'>['data'][number]['kind'];
export type PayoutKind = Answer<'stats.payouts'>['data'][number]['kind'];

export const listWords = { payments: 'Payments', hires: 'Machine hires', payouts: 'Payouts and refunds' } as const;
export type ExplorerList = keyof typeof listWords;

export const paymentWords: Readonly<Record<PaymentKind, string>> = {
  order: 'Order',
  machine: 'Hire by machine',
  registration: 'Registration',
  bounty: 'Bounty',
  claim_stake: 'Claim stake',
  earn: 'Earn deposit',
  earn_return: 'Back from an Earn venue',
  wallet_funding: 'Wallet funding',
  refund: 'Sent back',
};

export const payoutWords: Readonly<Record<PayoutKind, string>> = {
  payout: 'Payout',
  refund: 'Refund',
  surplus: 'Paid too much',
  withdrawal: 'Withdrawal',
  earn_refund: 'Earn deposit sent back',
  earn_withdrawal: 'Earn withdrawal',
};

export interface ExplorerFilters {
  readonly list: ExplorerList;
  readonly network: NetworkName | undefined;
  /** Kind of a payment or payout; hires have none. */
  readonly kind: string | undefined;
  readonly cursor: string | undefined;
}

const AT_ONCE = 25;

export function readFilters(search: URLSearchParams): ExplorerFilters {
  const list = oneOf(Object.keys(listWords) as ExplorerList[], search.get('list')) ?? 'payments';
  return {
    list,
    network: oneOf(networkNames, search.get('network')),
    kind: oneOf(Object.keys(kindsOf(list)), search.get('kind')),
    cursor: search.get('cursor') ?? undefined,
  };
}

/** Filter values: the kinds that exist today. */
const offered: Readonly<Record<ExplorerList, Readonly<Record<string, string>>>> = {
  payments: pick(paymentWords, ['order', 'machine', 'registration', 'bounty', 'claim_stake', 'earn', 'earn_return']),
  payouts: pick(payoutWords, ['payout', 'refund', 'surplus', 'earn_refund', 'earn_withdrawal']),
  hires: {},
};

export function kindsOf(list: ExplorerList): Readonly<Record<string, string>> {
  return offered[list];
}

function pick<K extends string>(words: Readonly<Record<K, string>>, kinds: readonly K[]): Readonly<Record<string, string>> {
  return Object.fromEntries(kinds.map((kind) => [kind, words[kind]]));
}

function oneOf<T extends string>(known: readonly T[], asked: string | null): T | undefined {
  return known.find((value) => value === asked);
}

/** The URL of a view. Another view starts on its first page, so only a cursor in `change` is kept. */
export function addressOf({ list, network, kind }: ExplorerFilters, change: Partial<ExplorerFilters> = {}): string {
  const next = { list, network, kind, cursor: undefined, ...change };
  const query = new URLSearchParams();
  if (next.list !== 'payments') query.set('list', next.list);
  if (next.network !== undefined) query.set('network', next.network);
  if (next.kind !== undefined && Object.hasOwn(kindsOf(next.list), next.kind)) query.set('kind', next.kind);
  if (next.cursor !== undefined) query.set('cursor', next.cursor);
  const text = query.toString();
  return `${sitePaths.explorer}${text === '' ? '' : `?${text}`}#${LISTS}`;
}

/** The id of the section with the lists. */
export const LISTS = 'lists';

export function argumentsOf({ network, kind, cursor }: ExplorerFilters) {
  return {
    limit: AT_ONCE,
    ...(network !== undefined && { network }),
    ...(kind !== undefined && { kind: kind as PaymentKind & PayoutKind }),
    ...(cursor !== undefined && { cursor }),
  };
}
