/** One paid request: the flavour in which it is paid, and its answer. */
import type { Call } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { X402Context } from '../x402-context.ts';
import type { PresentedPayment } from './classify-payment.ts';
import { payByPayment } from './pay-by-standard-payment.ts';
import { payByTransfer } from './pay-by-transfer.ts';
import type { Answering, Purchase } from './purchase.ts';
import { markTold, type PurchaseRow } from './repository.ts';

export async function payFor<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  purchase: Purchase,
  payment: Exclude<PresentedPayment, { kind: 'none' }>,
  answer: Answering<A>,
): Promise<A> {
  call.setHeader('Cache-Control', 'private, no-store');
  const tell: Answering<A> = async (db, result) => {
    const { row, hearer, headers } = result;
    for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
    if (hearer !== 'other' && row.toldAt === null) call.afterAnswer(async () => await noteTold(context, row));
    return await answer(db, result);
  };
  if (payment.kind === 'transfer') return await payByTransfer(context, call, purchase, payment, tell);
  return await tell(context.database.db, await payByPayment(context, call, purchase, payment));
}

/** Only when the answer is out: who never heard it gets the secrets when they ask again. */
async function noteTold({ database }: X402Context, { subjectId }: PurchaseRow): Promise<void> {
  reachCrashPoint('x402.before_told');
  await markTold(database.db, subjectId);
}
