/** The people around an order, and orders brought to any standing by real commands over HTTP. */
import assert from 'node:assert/strict';
import {
  type CredentialKind,
  type LifecycleFacts,
  type OrderCommand,
  type OrderRole,
  type OrderStatus,
  orderStatuses,
} from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import type { TestMarket } from '../harness/market.ts';
import { listService, openBuyer, openProvider, placeOrder } from '../harness/orders.ts';
import { untilLanded } from '../harness/payers.ts';
import { asHeaders, baseWallet, openSession, signed, tokenFor } from '../harness/people.ts';
import { type Entrance, entrances, give, THE_MARKET } from './entrances.ts';

/** Every caller, with role and credentials on the orders of the stage. */
export const people = {
  'the buyer': { role: 'buyer', kinds: ['wallet'] },
  'the provider by key': { role: 'provider', kinds: ['api_key'] },
  'the provider’s owner': { role: 'provider', kinds: ['wallet'] },
  'an administrator': { role: 'admin', kinds: ['idp', 'admin'] },
  'a stranger’s wallet': { role: undefined, kinds: ['wallet'] },
  'a stranger’s agent': { role: undefined, kinds: ['api_key'] },
  nobody: { role: undefined, kinds: [] },
} as const satisfies Record<string, { role: OrderRole | undefined; kinds: readonly CredentialKind[] }>;
export type Person = keyof typeof people;
export const everybody = Object.keys(people) as Person[];

const giver: Readonly<Record<OrderRole, Person>> = {
  buyer: 'the buyer',
  provider: 'the provider by key',
  admin: 'an administrator',
  system: 'nobody',
};

export interface Standing {
  readonly kind: 'plain' | 'workspace';
  readonly status: OrderStatus;
}

type Given = readonly [OrderCommand, Exclude<OrderRole, 'system'>];
const pay: Given = ['pay', 'buyer'];
const deliver: Given = ['deliver', 'provider'];
const workOff: readonly Given[] = [pay, ['generate', 'buyer'], ['answer_request', 'provider']];

/** The commands that bring a new order to each status. A workspace never rests in `paid`, and has no quote. */
const ways: Readonly<Record<Standing['kind'], Partial<Record<OrderStatus, readonly Given[]>>>> = {
  plain: {
    pending_quote: [],
    quoted: [['quote', 'provider']],
    accepted: [['accept', 'buyer']],
    paid: [pay],
    in_progress: [pay, ['start', 'provider']],
    delivered: [pay, deliver],
    completed: [pay, deliver, ['approve', 'buyer']],
    revision_requested: [pay, deliver, ['revision', 'buyer']],
    disputed: [pay, deliver, ['dispute', 'buyer']],
    cancelled: [pay, ['cancel', 'buyer']],
  },
  workspace: {
    quoted: [],
    accepted: [['accept', 'buyer']],
    in_progress: [pay, ['generate', 'buyer']],
    delivered: workOff,
    completed: [...workOff, ['approve', 'buyer']],
    revision_requested: [...workOff, ['revision', 'buyer']],
    disputed: [...workOff, ['dispute', 'buyer']],
    cancelled: [pay, ['refund', 'provider']],
  },
};

export const standings: readonly Standing[] = (['plain', 'workspace'] as const).flatMap((kind) =>
  orderStatuses.filter((status) => ways[kind][status] !== undefined).map((status) => ({ kind, status })),
);

const wayTo = ({ kind, status }: Standing): readonly Given[] => ways[kind][status] ?? [];

export const takesMoney = (standing: Standing): boolean => wayTo(standing).includes(pay);

/** Plain orders have a quoted price in these two states; workspaces and orders in later states have a listed price. */
function isByQuote({ kind, status }: Standing): boolean {
  return kind === 'plain' && (status === 'pending_quote' || status === 'quoted');
}

/** A running workspace has an open request and quota left; any other has used up its one request. */
function quotaAt({ kind, status }: Standing): number {
  if (kind === 'plain') return 0;
  return status === 'in_progress' ? 3 : 1;
}

/** The facts of the order for its rules: in time, paid for, unreviewed, between strangers. */
export function factsAt(standing: Standing): LifecycleFacts {
  const asked = wayTo(standing).filter(([command]) => command === 'generate').length;
  return {
    status: standing.status,
    workspace: standing.kind === 'workspace',
    settled: false,
    paymentReverted: false,
    deliveryDeadline: null,
    reviewDeadline: null,
    revisionDeadline: null,
    workspaceEndsAt: null,
    revisionCount: standing.status === 'revision_requested' ? 1 : 0,
    maxRevisions: 3,
    extraRevisions: 0,
    quotaTotal: quotaAt(standing),
    quotaUsed: asked,
    openRequests: standing.status === 'in_progress' ? asked : 0,
    reviewed: false,
    relatedParty: false,
    byQuote: isByQuote(standing),
    delivered: ['delivered', 'completed', 'revision_requested', 'disputed'].includes(standing.status),
    markedOverdue: false,
    quoteLengthened: false,
  };
}

export interface Stage {
  readonly market: TestMarket;
  readonly headers: Readonly<Record<Person, Record<string, string>>>;
  /** Pays that many times the price in advance, so that orders need not wait for a chain one by one. */
  payAhead(count: number): Promise<void>;
  takePayment(): string;
  bringTo(standing: Standing): Promise<string>;
}

const PRICE_MICROS = 10_000_000n;

export async function openStage(market: TestMarket): Promise<Stage> {
  const { url } = market;
  const [buyer, provider] = await Promise.all([openBuyer(market, 'base-mainnet', 10_000n * PRICE_MICROS), openProvider(url)]);
  const { key: strangerKey } = await registerAgent(url);
  const services = {
    fixed: await listService(url, provider),
    quote: await listService(url, provider, { price_type: 'quote', price_usd: '0' }),
    1: await listService(url, provider, { quota_limit: 1 }),
    3: await listService(url, provider, { price_type: 'weekly', quota_limit: 3 }),
  };
  const headers = {
    // A session, because a signature pays with one transfer only.
    'the buyer': { cookie: await openSession(url, buyer), origin: url },
    'the provider by key': provider.headers,
    'the provider’s owner': asHeaders(await signed(provider.owner)),
    'an administrator': { authorization: `Bearer ${await tokenFor(url, { email: 'ops@example.com', admin: true })}` },
    'a stranger’s wallet': asHeaders(await signed(baseWallet())),
    'a stranger’s agent': { authorization: `Bearer ${strangerKey}` },
    nobody: {},
  };
  const payments: string[] = [];

  function serviceFor(standing: Standing): string {
    if (isByQuote(standing)) return services.quote;
    const quota = quotaAt(standing);
    return quota === 0 ? services.fixed : services[quota as 1 | 3];
  }

  const stage: Stage = {
    market,
    headers,
    async payAhead(count) {
      const treasury = buyer.payer.chain.treasury;
      for (let paid = 0; paid < count; paid++) payments.push(await buyer.payer.pay(treasury, PRICE_MICROS, 'sent'));
      for (const reference of payments) await untilLanded(buyer.payer.chain, reference, 'confirmed');
    },
    takePayment() {
      const reference = payments.pop();
      if (reference === undefined) throw new Error('everything that was paid ahead is used up');
      return reference;
    },
    async bringTo(standing) {
      const id = await placeOrder(url, serviceFor(standing), buyer);
      for (const [command, role] of wayTo(standing)) {
        const more = command === 'pay' ? { escrow_tx_hash: stage.takePayment() } : {};
        const reply = await give(url, requireEntrance(command), id, headers[giver[role]], more);
        assert.equal(reply.status, 200, `${command}: ${JSON.stringify(reply.body)}`);
      }
      return id;
    },
  };
  return stage;
}

export function requireEntrance(command: OrderCommand): Entrance {
  const entrance = entrances[command];
  if (entrance === THE_MARKET) throw new Error(`nobody can ${command}`);
  return entrance;
}
