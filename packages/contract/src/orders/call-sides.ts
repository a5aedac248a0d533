/** The roles that may ever make a call that changes an order; checked before anything else about the call. */
import type { OperationSpec } from '../define-operation.ts';
import { mayEverCommand, type OrderCommand, type OrderRole, orderCommands, orderRoles } from './lifecycle.ts';

const PREFIX = '/api/orders/{id}';

/** Calls that are not commands of the lifecycle. */
const otherCalls: Readonly<Record<string, readonly OrderRole[]>> = {
  'confirm-payment': ['buyer'],
  portfolio: ['buyer'],
  'request-payout-retry': ['provider'],
  'dispute/statements': ['buyer', 'provider'],
  messages: ['buyer', 'provider'],
  'messages/read': ['buyer', 'provider'],
  'onchain-feedback': ['buyer'],
  'onchain-feedback/prepare': ['buyer'],
};

/** Returns undefined for calls that change no order. */
export function sidesOfOrderCall({ rest, effects }: OperationSpec): readonly OrderRole[] | undefined {
  if (!rest.path.startsWith(PREFIX) || effects.kind === 'read') return undefined;
  const name = rest.selector?.value ?? rest.path.slice(PREFIX.length + 1);
  return isCommand(name) ? orderRoles.filter((role) => mayEverCommand(name, role)) : otherCalls[name];
}

function isCommand(name: string): name is OrderCommand {
  return (orderCommands as readonly string[]).includes(name);
}
