/** The text in a transfer that names one order at its price. It shows that a payment from any wallet is for this order. */
import { createHash } from 'node:crypto';
import { createReference, namesPurchase, type PurchaseReference, type Spending } from '../../payments/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';

type Named = Pick<OrderRow, 'id' | 'priceMicros'>;
type Context = Pick<OrdersContext, 'secrets' | 'clock'>;

/** The text changes every ten minutes, so repeated reads of an order show the same one. */
const STEADY_MS = 600_000;

export function orderReference({ secrets, clock }: Context, order: Named): PurchaseReference {
  const until = new Date(Math.ceil(clock.now().getTime() / STEADY_MS) * STEADY_MS);
  return createReference(secrets, purchaseOf(order), until);
}

export function namedByReference(context: Context, order: Named): Pick<Spending, 'isNamedBy' | 'createReference'> {
  return {
    isNamedBy: (note, paidAt) => namesPurchase(context.secrets, purchaseOf(order), note, paidAt),
    createReference: () => orderReference(context, order),
  };
}

function purchaseOf({ id, priceMicros }: Named) {
  return { purpose: 'order', amountMicros: priceMicros ?? 0n, fingerprint: createHash('sha256').update(`order ${id}`).digest() };
}
