/** Makes the order or the agent that a payment bought: claim, purchase and stored answer in one transaction. */
import { MarketError } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { isNameClash } from '../../agents/index.ts';
import type { NewPayment } from '../../payments/index.ts';
import type { PaidRequest } from '../intake/purchase.ts';
import type { PurchaseRow } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';
import { recordHire } from './record-hire.ts';
import { recordRegistration } from './record-registration.ts';
import { unpackHire } from './stored-request.ts';

export async function recordPurchase(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidRequest): Promise<PurchaseRow> {
  if (paid.purpose === 'registration') return await recordRegistration(tx, context, payment, paid);
  return await recordHire(tx, context, payment, { ...paid, ...unpackHire(paid.request) });
}

/** The reason why a purchase can never be made; undefined for errors that a retry may mend. An order can always be made: its agent was open when the money began to move, and does not close meanwhile. */
export function refusalOf(error: unknown): MarketError | undefined {
  if (isNameClash(error)) return new MarketError('name_taken');
  return error instanceof MarketError && (error.code === 'name_taken' || error.code === 'duplicate_agent') ? error : undefined;
}

export { recordReturned } from './record-registration.ts';
