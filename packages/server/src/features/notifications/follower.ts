/** Turns events into notifications for both sides, in the transaction that takes the events from the queue. */
import { type AgentId, type OrderEventType, type OrderId, type OrderRole, orderEvents, orderRoles, SEARCH_MATCHED } from '@market/contract';
import { z } from 'zod';
import type { EventFollower, StoredEvent } from '../../platform/events/event-log.ts';
import { newId } from '../../platform/random.ts';
import { bountyTypes, noticesOfBounty } from './bounty-words.ts';
import { type Collapsed, collapseForProvider, collapseOfBounty } from './collapse.ts';
import { connectionTypes, noticeOfConnection } from './connection-words.ts';
import { earnTypes, noticeOfEarn } from './earn-words.ts';
import { linkTypes, noticeOfLink } from './link-words.ts';
import { noticeOfModeration } from './moderation-words.ts';
import { moneyNotices } from './money-words.ts';
import { moveTypes, noticeOfMove } from './move-words.ts';
import { orderNotices } from './order-words.ts';
import { noticeOfPayer, payerTypes } from './payer-words.ts';
import { noticeOfBarePayment, PRESENTED_BARE } from './payment-words.ts';
import { noticeOfPayoutChange, payoutChangeTypes } from './payout-words.ts';
import { findNotifiedOrders, insertNotifications, type NotifiedOrder } from './repository.ts';
import { noticeOfRestore, RESTORED } from './restore-words.ts';
import { noticeOfMatches } from './saved-search-words.ts';
import { noticeOfSpending, spendingTypes } from './spending-words.ts';
import { KEY_RECOVERED, noticeOfWallet, walletTypes } from './wallet-words.ts';
import { noticeOfWebhook } from './webhook-words.ts';
import type { SideNotices, Words } from './words.ts';

/** A person, by account, wallet or both, or an agent, which reads with its key. */
interface Recipient {
  readonly userId: string | null;
  readonly wallet: string | null;
  readonly agentId: AgentId | null;
}

interface Addressed extends Words {
  readonly to: Recipient;
  readonly orderId: OrderId | null;
  /** Path on the site. */
  readonly link?: string;
  /** The kind under which it shares a row with other unread ones. */
  readonly collapsed?: Collapsed | null;
}

const MODERATED = ['agent.moderated', 'service.moderated'];
const WEBHOOK_FAILED = 'agent.webhook_failed';

export const notificationFollower: EventFollower = {
  name: 'notifications',
  types: [
    ...Object.keys(orderNotices),
    ...Object.keys(moneyNotices),
    ...MODERATED,
    ...payoutChangeTypes,
    ...bountyTypes,
    ...walletTypes,
    ...linkTypes,
    ...payerTypes,
    ...earnTypes,
    ...connectionTypes,
    ...spendingTypes,
    ...moveTypes,
    WEBHOOK_FAILED,
    SEARCH_MATCHED,
    PRESENTED_BARE,
    RESTORED,
  ],
  retryAfterSeconds: [1, 5, 30, 300, 3600],
  async handle(tx, events) {
    // Money events that are not about an order find no order here, and notify nobody.
    const orders = await findNotifiedOrders(tx, [...new Set(events.filter(isAboutOrder).map(({ subjectId }) => subjectId))]);
    await insertNotifications(
      tx,
      events.flatMap((event) =>
        addressEvent(event, orders).map(({ to, link = null, collapsed = null, ...text }) => ({
          id: newId('notif', event.createdAt),
          eventId: event.id,
          ...to,
          ...text,
          link,
          collapsed,
          createdAt: event.createdAt,
        })),
      ),
    );
  },
};

function isAboutOrder({ type }: StoredEvent): boolean {
  return type in orderNotices || type in moneyNotices;
}

function addressEvent(event: StoredEvent, orders: ReadonlyMap<string, NotifiedOrder>): readonly Addressed[] {
  if (MODERATED.includes(event.type)) return addressOwner(event, noticeOfModeration(event));
  if (payoutChangeTypes.includes(event.type)) return addressWatchers(event, noticeOfPayoutChange(event));
  if (event.type === KEY_RECOVERED) return addressWatchers(event, noticeOfWallet(event));
  if (walletTypes.includes(event.type)) return addressOwner(event, noticeOfWallet(event));
  if (linkTypes.includes(event.type)) return addressLink(event);
  if (payerTypes.includes(event.type)) return addressPayer(event);
  if (event.type === WEBHOOK_FAILED) return addressOwnerOfWebhook(event);
  if (bountyTypes.includes(event.type)) return addressBounty(event);
  if (event.type === SEARCH_MATCHED) return addressNamed(event, noticeOfMatches(event));
  if (earnTypes.includes(event.type)) return addressNamed(event, noticeOfEarn(event));
  if (connectionTypes.includes(event.type)) return addressNamed(event, noticeOfConnection(event));
  if (spendingTypes.includes(event.type)) return addressNamed(event, noticeOfSpending(event));
  if (event.type === PRESENTED_BARE) return addressBarePayer(event);
  if (moveTypes.includes(event.type)) return addressConcerned(event, noticeOfMove(event), linkOfMove(event));
  if (event.type === RESTORED) return addressRestored(event);
  const order = orders.get(event.subjectId);
  if (order === undefined) return [];
  const { buyer, provider } = writeForOrder(event, order);
  return [
    ...address(order, buyer, buyersOf(order)),
    ...address(order, provider, providersOf(order), provider && collapseForProvider(event, provider, order)),
  ];
}

/** One row for account and wallet, because either may have made the link without the other. One row per further wallet of the account. */
function addressLink(event: StoredEvent): Addressed[] {
  const { userId, wallet, text, otherWallets, textToOthers } = noticeOfLink(event);
  const at = { orderId: null, link: '/wallet' };
  const toOthers = otherWallets.map((other) => ({ ...textToOthers, ...at, to: { userId: null, wallet: other, agentId: null } }));
  return [{ ...text, ...at, to: { userId, wallet, agentId: null } }, ...toOthers];
}

const actorOf = z.object({ actor_role: z.enum(orderRoles) });

function writeForOrder(event: StoredEvent, order: NotifiedOrder): SideNotices {
  const ofMoney = moneyNotices[event.type];
  if (ofMoney !== undefined) return ofMoney(event.data, order);
  const type = event.type as OrderEventType;
  const write = orderNotices[type] as (data: unknown, order: NotifiedOrder, by: OrderRole) => SideNotices;
  return write(orderEvents[type].parse(event.data), order, actorOf.parse(event.context).actor_role);
}

function address(
  order: NotifiedOrder,
  text: Words | undefined,
  recipients: readonly Recipient[],
  collapsed: Collapsed | null = null,
): Addressed[] {
  return text === undefined ? [] : recipients.map((to) => ({ ...text, to, orderId: order.id, collapsed }));
}

function buyersOf({ clientUserId, clientWallet, clientAgentId }: NotifiedOrder): Recipient[] {
  return personAndAgent(clientUserId, clientWallet, clientAgentId);
}

function providersOf({ providerUserId, providerWallet, providerAgentId }: NotifiedOrder): Recipient[] {
  return personAndAgent(providerUserId, providerWallet, providerAgentId);
}

/** One row for the person, by account and wallet, and one for the agent. */
function personAndAgent(userId: string | null, wallet: string | null, agentId: AgentId | null): Recipient[] {
  return [
    ...(userId === null && wallet === null ? [] : [{ userId, wallet, agentId: null }]),
    ...(agentId === null ? [] : [{ userId: null, wallet: null, agentId }]),
  ];
}

const owner = z.object({ owner_wallet: z.string().nullable(), owner_user_id: z.string().nullable() });

function addressOwner(event: StoredEvent, text: Words): Addressed[] {
  const { owner_wallet: wallet, owner_user_id: userId } = owner.parse(event.context);
  return personAndAgent(userId, wallet, event.agentId as AgentId | null).map((to) => ({ ...text, to, orderId: null }));
}

const watchers = owner.extend({ watching_wallets: z.array(z.string()).default([]) });

/** Addresses owner, agent and each wallet that watches the account. The first wallet shares the row of the account, as for moves. */
function addressWatchers(event: StoredEvent, text: Words): Addressed[] {
  const { owner_wallet, owner_user_id: userId, watching_wallets } = watchers.parse(event.context);
  const [first = null, ...others] = new Set([...(owner_wallet === null ? [] : [owner_wallet]), ...watching_wallets]);
  const people = [...personAndAgent(userId, first, null), ...others.map((wallet) => ({ userId: null, wallet, agentId: null }))];
  const toAgent = personAndAgent(null, null, event.agentId as AgentId | null);
  return [
    ...people.map((to) => ({ ...text, to, orderId: null, link: '/sell/wallet' })),
    ...toAgent.map((to) => ({ ...text, to, orderId: null })),
  ];
}

/** Addresses owner, agent and the paying wallet. The wallet gets no link, because that page belongs to the owner. */
function addressPayer(event: StoredEvent): Addressed[] {
  const { text, wallet, link } = noticeOfPayer(event);
  const toWallet = wallet === null ? [] : [{ ...text, to: { userId: null, wallet, agentId: null }, orderId: null }];
  // A wallet of the owner is no stranger, so its notifications do not collapse.
  const collapsed = wallet === null ? null : 'payers';
  return [...addressOwner(event, text).map((one) => ({ ...one, link, collapsed }) as const), ...toWallet];
}

/** Addresses the person only, because the agent could not be reached. */
function addressOwnerOfWebhook(event: StoredEvent): Addressed[] {
  const { owner_wallet: wallet, owner_user_id: userId } = owner.parse(event.context);
  const orderId = (event.data['order_id'] ?? null) as OrderId | null;
  return personAndAgent(userId, wallet, null).map((to) => ({ ...noticeOfWebhook(event), to, orderId }));
}

function addressBounty(event: StoredEvent): Addressed[] {
  return noticesOfBounty(event).flatMap(({ text, userId, wallet, agentId, orderId }) =>
    personAndAgent(userId, wallet, agentId).map((to) => ({
      ...text,
      to,
      orderId,
      collapsed: collapseOfBounty(text),
      ...(orderId === null && { link: `/bounties/${event.subjectId}` }),
    })),
  );
}

const payers = z.object({ owners: z.array(z.string()) });

/** Addresses the wallet that paid, and each account it is linked to. */
function addressBarePayer(event: StoredEvent): Addressed[] {
  const orderId = (event.data['order_id'] ?? null) as OrderId | null;
  // An accepted transfer can be contested for a while, so its notification does not collapse.
  const collapsed = event.data['outcome'] === 'refused' ? 'refused' : null;
  return payers.parse(event.context).owners.map((whose) => ({ ...noticeOfBarePayment(event), to: recipientOf(whose), orderId, collapsed }));
}

const namedOwner = z.object({ owner: z.string(), link: z.string() });

/** Addresses the owner that the event names: an account, a wallet or an agent. */
function addressNamed(event: StoredEvent, text: Words): Addressed[] {
  const { owner: whose, link } = namedOwner.parse(event.context);
  return [{ ...text, to: recipientOf(whose), orderId: null, link }];
}

function recipientOf(whose: string): Recipient {
  const id = whose.slice(whose.indexOf(':') + 1);
  return {
    userId: whose.startsWith('user:') ? id : null,
    wallet: whose.startsWith('wallet:') ? id : null,
    agentId: whose.startsWith('agent:') ? (id as AgentId) : null,
  };
}

const concerned = z.object({ user_ids: z.array(z.string()), wallets: z.array(z.string()) });

function linkOfMove({ data }: StoredEvent): string {
  return data['kind'] === 'earn_withdrawal' ? '/earn/positions' : '/sell/wallet';
}

/** Addresses every account and wallet concerned. Account and wallet share rows in pairs, so that most people read it once. */
function addressConcerned(event: StoredEvent, text: Words, link: string): Addressed[] {
  const { user_ids: users, wallets } = concerned.parse(event.context);
  const rows = Math.max(users.length, wallets.length);
  return Array.from({ length: rows }, (_, index) => ({
    ...text,
    to: { userId: users[index] ?? null, wallet: wallets[index] ?? null, agentId: null },
    orderId: null,
    link,
  }));
}

/** Addresses every account and wallet of the event after a restore. An agent is addressed only if nobody owns it. */
function addressRestored(event: StoredEvent): Addressed[] {
  const text = noticeOfRestore(event);
  const people = addressConcerned(event, text, '/wallet');
  if (event.agentId === null) return people;
  return [...people, { ...text, to: { userId: null, wallet: null, agentId: event.agentId as AgentId }, orderId: null }];
}
