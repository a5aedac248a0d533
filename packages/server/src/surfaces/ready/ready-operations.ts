/**
 * Reads of signed-out callers, and the tables behind each answer. When one of these tables changes, every process drops the answer. Other
 * influences on an answer limit its age. One test changes every table and compares; another checks that every public GET is listed here.
 */
import { type NamedOperation, type OperationName, operationList } from '@market/contract';
import type { VersionedTable } from '../../platform/versions/data-versions.ts';

export interface ReadyRule {
  readonly tables: readonly VersionedTable[];
  /** For answers that also change without these tables. Absent: the answer is kept as long as there is memory. */
  readonly maxAge?: MaxAge;
  /** Tables that its statements read but its answer does not show. */
  readonly notShown?: readonly string[];
  /** Everybody gets the same answer, except requests with one of these parameters. Pages of signed-in visitors then share it, too. */
  readonly sameForAll?: { readonly unless: readonly string[] };
}

interface MaxAge {
  readonly ms: number;
  readonly why: string;
  /** Further tables behind the answer, whose changes may show this late. */
  readonly tables?: readonly string[];
}

interface NotKept {
  readonly notKept: string;
}

const signsOfLife = {
  ms: 1_000,
  why: 'presence changes with time, and is written too often to drop everything each time',
  tables: ['agent_presence', 'webhook_attempts'],
};
const vocabulary = {
  ms: 1_000,
  why: 'presence changes with time; words and sample pictures may show a second late',
  tables: [...signsOfLife.tables, 'search_words', 'orders', 'deliverables', 'uploads', 'hidden_portfolio'],
};
const withoutPresence = { notShown: signsOfLife.tables };
const networkState = { ms: 5_000, why: 'prices name networks and fee payers, which are not in the database' };
const withoutFigures = { notShown: [...signsOfLife.tables, 'agent_figures'] };
const counted = {
  ms: 1_000,
  why: 'all orders are counted, by the handler every few seconds only',
  tables: [
    'agents',
    'agent_figures',
    ...signsOfLife.tables,
    'services',
    'orders',
    'settlements',
    'daily_figures',
    'figures_progress',
    'counted_buyers',
    'treasury_readings',
    'creator_fee_receipts',
  ],
};

const sameForAll = { unless: [] };

const agents = ['agents', 'agent_figures', 'market_clock'] as const;
const services = ['services', 'agents'] as const;
const profile = [...agents, 'services', 'reviews', 'orders', 'deliverables', 'hidden_portfolio'] as const;
const explorer = ['orders', 'agents'] as const;
const feed = { tables: services, maxAge: networkState };
const figures = { tables: ['market_clock'], maxAge: counted, sameForAll } as const;

/** Strangers see only the payout of the winner's order. */
const bounties = {
  tables: ['bounties', 'bounty_claims', 'agents', 'users', 'user_wallets', 'wallet_profiles', 'settlements'],
  maxAge: { ms: 60_000, why: 'links to files are good for an hour' },
  notShown: ['orders'],
} as const;

const asksChain = { notKept: 'asks a chain' };
const ofOneCaller = { notKept: 'is about the caller' };
const ofSandbox = { notKept: 'shows the state of local chains and clocks' };

export const readyOperations: Readonly<Partial<Record<OperationName, ReadyRule | NotKept>>> = {
  'agents.list': { tables: agents, maxAge: signsOfLife, sameForAll: { unless: ['owner_wallet'] } },
  'agents.featured': { tables: agents, maxAge: signsOfLife },
  'agents.leaderboard': {
    tables: agents,
    maxAge: { ...signsOfLife, tables: [...signsOfLife.tables, 'orders', 'settlements', 'counted_orders'] },
    sameForAll,
  },
  'agents.get': { tables: profile, maxAge: signsOfLife },
  'agents.reputation': { tables: agents, ...withoutPresence },
  'agents.reputationOrders': { notKept: 'asked seldom, by readers who compute a score again' },
  'agents.models': { tables: [...agents, 'services'] },
  'tokens.get': { notKept: 'asks a chain and a price source' },
  'tokens.priceHistory': {
    tables: ['agents', 'market_clock'],
    maxAge: { ms: 60_000, why: 'a new point comes every few minutes', tables: ['token_prices'] },
    ...withoutFigures,
  },
  'earn.markets': asksChain,
  'earn.pools': asksChain,
  'earn.history': { notKept: 'a new point comes every quarter of an hour' },
  'tokens.metadata': { notKept: 'asked seldom, by wallets and explorers' },
  'said.card': { tables: ['agents', 'services'], ...withoutFigures },
  'services.list': { tables: services, sameForAll },
  'services.listOfAgent': { tables: [...agents, 'services'], ...withoutPresence },
  'services.get': { tables: services },
  'services.reputation': { tables: services },
  'services.bySlug': { tables: [...services, 'reviews'] },
  'search.everything': { tables: [...agents, 'services', 'bounties'], maxAge: vocabulary, sameForAll },
  'search.services': { tables: [...agents, 'services'], maxAge: vocabulary, sameForAll },
  'onchainFeedback.file': { notKept: 'asked seldom, by indexers' },
  'reviews.listOfAgent': { tables: [...agents, 'reviews'], ...withoutPresence },
  'reviews.listOfService': { tables: [...services, 'reviews'] },
  'portfolio.list': {
    tables: [...agents, 'orders', 'deliverables', 'hidden_portfolio'],
    maxAge: { ms: 60_000, why: 'links to files are good for an hour' },
    ...withoutPresence,
  },
  'bounties.list': bounties,
  'bounties.get': bounties,
  'bounties.feed': { tables: ['bounties'], sameForAll },
  'bounties.stats': { tables: ['bounties', 'settlements'] },
  'profiles.get': { tables: ['users', 'user_wallets', 'wallet_profiles'] },
  'profiles.byUsername': { tables: [...agents, 'users', 'user_wallets'], maxAge: signsOfLife },
  'x402.services': feed,
  'x402.search': { ...feed, sameForAll },
  'x402.requirements': { notKept: 'offers end by the clock' },
  'x402.directory': feed,
  'x402.discoveryResources': feed,
  'x402.manifest': feed,
  'x402.manifestFile': feed,
  'x402.openApi': feed,
  'x402.trending': {
    tables: [...services, 'market_clock'],
    maxAge: { ms: 5_000, why: 'the score falls with time, and all orders of the window are ranked', tables: ['orders', 'counted_orders'] },
    sameForAll,
  },
  'cards.market': { tables: [], sameForAll },
  'cards.agent': { tables: ['agents', 'services'], ...withoutFigures },
  'cards.registration': { tables: ['agents', 'services'], ...withoutFigures },
  'stats.platform': figures,
  'stats.metrics': figures,
  'stats.board': figures,
  'stats.daily': figures,
  'stats.activity': {
    tables: [...services, 'events', 'orders', 'settlements', 'reviews'],
    maxAge: { ms: 5_000, why: 'the total is counted every 30 seconds' },
    sameForAll,
  },
  'stats.held': {
    tables: ['treasury_readings'],
    maxAge: { ms: 5_000, why: 'what lies in venues may show five seconds late', tables: ['earn_vaults', 'earn_samples'] },
    sameForAll,
  },
  'stats.payments': { tables: [...explorer, 'payment_claims', 'chain_receipts'], sameForAll },
  'stats.hires': { tables: [...explorer, 'payment_claims'], sameForAll },
  'stats.payouts': { tables: [...explorer, 'outgoing_intents'], sameForAll },
  'auth.checkUsername': { notKept: 'everyone asks for another name' },
  'auth.whoami': ofOneCaller,
  'payments.networks': asksChain,
  'payments.prepare': asksChain,
  'payments.progress': asksChain,
  'x402.quote': { notKept: 'offers end by the clock' },
  'x402.offers': { notKept: 'offers are signed with their time' },
  'sandbox.info': ofSandbox,
  'sandbox.balance': ofSandbox,
  'sandbox.clock': ofSandbox,
};

/** The 402 of a payable GET depends only on its URL. Directories request it far more often than it changes. */
const challenge: ReadyRule = {
  tables: [...services, 'market_clock'],
  maxAge: { ms: 1_000, why: 'the state of a network is not in the database' },
  // Banned callers are refused when they pay; the price is no secret.
  notShown: ['users', 'user_wallets', 'banned_identities'],
};

/** Undefined when the answers of this operation are not kept. */
export function readyRuleOf({ name, spec }: NamedOperation): ReadyRule | undefined {
  if (spec.rest.method !== 'GET') return undefined;
  if (spec.effects.kind === 'pay') return challenge;
  const rule = readyOperations[name as OperationName];
  return rule === undefined || 'notKept' in rule ? undefined : rule;
}

const sharedReads = new Map(
  operationList.flatMap((operation) => {
    const { sameForAll } = readyRuleOf(operation) ?? {};
    return sameForAll === undefined ? [] : [[operation.spec.rest.path as string, sameForAll] as const];
  }),
);

/** Whether a GET of this URL gives everybody the same answer. False for URLs with parameters in the path. */
export function isSameForAll({ pathname, searchParams }: URL): boolean {
  return sharedReads.get(pathname)?.unless.every((name) => !searchParams.has(name)) === true;
}
