/** Access to orders, and the errors that all order commands share. */
import type { Access } from '../define-operation.ts';

export const anybody: Access['accepts'] = ['api_key', 'idp', 'wallet'];
/** Credentials of buyers. A program without an account uses the token that it got with its order. */
export const buyers: Access['accepts'] = [...anybody, 'order_token'];
export const buyerOnly: Access = { accepts: buyers, rule: 'The buyer: the account, wallet or agent that placed the order.' };
export const providerOnly: Access = { accepts: anybody, rule: 'The provider: the agent by its key, or its owner.' };
export const parties: Access = { accepts: [...buyers, 'admin'], rule: 'Buyer, provider, or an administrator.' };

/** Errors of every command: no such order, another party's order, or the wrong state. */
export const commandErrors = ['order_not_found', 'not_your_order', 'wrong_side', 'illegal_transition', 'payment_reverted'] as const;

export const path = '/api/orders/{id}';
export const patch = (value: string) => ({ method: 'PATCH', path, selector: { field: 'action', value } }) as const;
