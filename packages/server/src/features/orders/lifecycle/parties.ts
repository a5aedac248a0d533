/** The roles of a caller in an order. Someone who hires their own agent is both buyer and provider. */
import { MarketError, mayEverCommand, type OrderCommand, type OrderRole } from '@market/contract';
import { type Caller, principalOf, walletsOf } from '../../../access/caller.ts';
import { actsAsAnother, isOwner } from '../../../access/ownership.ts';
import type { OrderRow } from '../repository.ts';

export interface Actor {
  readonly role: OrderRole;
  /** `agent:…`, `user:…`, `wallet:…`, or `market`. */
  readonly name: string;
  /** The request shows a credential of the wallet that paid for the order. A token of the order or an API key is none. */
  readonly isPayer?: boolean;
  /** Absent for the marketplace itself. */
  readonly caller?: Caller;
}

/** The marketplace itself: timers, and steps that follow from another step. */
export const systemActor: Actor = { role: 'system', name: 'market' };

export function rolesOf(caller: Caller, order: OrderRow): readonly Exclude<OrderRole, 'system'>[] {
  const roles: Exclude<OrderRole, 'system'>[] = [];
  if (isBuyer(caller, order)) roles.push('buyer');
  if (isProvider(caller, order)) roles.push('provider');
  if (caller.user?.admin === true) roles.push('admin');
  return roles;
}

/** The roles in which a caller may act. A read token gives none. */
export function actingRolesOf(caller: Caller, order: OrderRow): readonly Exclude<OrderRole, 'system'>[] {
  if (caller.orderReadOnly !== true) return rolesOf(caller, order);
  const { orderId: _order, orderReadOnly: _readOnly, ...others } = caller;
  return rolesOf(others, order);
}

function isBuyer(caller: Caller, order: OrderRow): boolean {
  const { clientAgentId, clientWallet, userId } = order;
  if (caller.orderId === order.id) return true;
  if (clientAgentId !== null) {
    // Such an order also names the account and wallet of the agent's owner, who must not act as this agent through another one.
    if (actsAsAnother(caller, clientAgentId)) return false;
    if (caller.agent?.id === clientAgentId) return true;
    if (isOwner(caller, { id: clientAgentId, ownerWallet: order.clientOwnerWallet, ownerUserId: order.clientOwnerUserId })) return true;
  }
  if (userId !== null && caller.user?.id === userId) return true;
  // A machine is the buyer because it paid, so only a wallet of the payment's network counts. For other orders any wallet counts.
  const network = order.kind === 'machine' ? (order.paymentNetwork ?? undefined) : undefined;
  return clientWallet !== null && walletsOf(caller, network).includes(clientWallet);
}

function isProvider(caller: Caller, order: OrderRow): boolean {
  const provider = { id: order.providerAgentId, ownerWallet: order.providerOwnerWallet, ownerUserId: order.providerOwnerUserId };
  return caller.agent?.id === provider.id || isOwner(caller, provider);
}

/** Throws for strangers. Returns the roles in the order buyer, provider, administrator. */
export function requireParty(caller: Caller, order: OrderRow): readonly [OrderRole, ...OrderRole[]] {
  const [first, ...rest] = rolesOf(caller, order);
  if (first === undefined) throw new MarketError('not_your_order');
  return [first, ...rest];
}

/** Throws for strangers, and for the other side. */
export function requireSide(caller: Caller, order: OrderRow, side: 'buyer' | 'provider'): void {
  requireParty(caller, order);
  if (!actingRolesOf(caller, order).includes(side)) throw new MarketError('wrong_side');
}

/** The role in which this caller may give this command; throws for strangers, and for the other side. */
export function requireActor(caller: Caller, clientAddress: string, order: OrderRow, command: OrderCommand): Actor {
  requireParty(caller, order);
  const role = actingRolesOf(caller, order).find((candidate) => mayEverCommand(command, candidate));
  if (role === undefined) throw new MarketError('wrong_side');
  return { role, name: principalOf(caller, clientAddress), isPayer: isPayer(caller, order), caller };
}

export function isPayer(caller: Caller, { payer, paymentNetwork }: OrderRow): boolean {
  if (payer === null || paymentNetwork === null) return false;
  // A connected program acts without asking its person again, so the person's wallets do not vouch for its call.
  const { connection, user: _user, wallet, ...others } = caller;
  const shown = connection === undefined ? caller : { ...others, ...(wallet !== undefined && wallet.proof !== 'session' && { wallet }) };
  return walletsOf(shown, paymentNetwork).includes(payer);
}
