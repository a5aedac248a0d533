/** Takes the payment of one request, by transfer or by standard payment, and answers it. */
import type { Call } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { X402Context } from '../x402-context.ts';
import type { PresentedPayment } from './classify-payment.ts';
import { payByStandardPayment } from './pay-by-standard-payment.ts';
import { payByTransfer } from './pay-by-transfer.ts';
import type { AnswerPurchase, Purchase } from './purchase.ts';
import { markAnswered, type PurchaseRow } from './repository.ts';

export async function payFor<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  purchase: Purchase,
  payment: PresentedPayment,
  answer: AnswerPurchase<A>,
): Promise<A> {
  call.setHeader('Cache-Control', 'private, no-store');
  const answerWithHeaders: AnswerPurchase<A> = async (db, result) => {
    const { row, recipient, headers } = result;
    for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
    if (recipient !== 'other' && row.toldAt === null) call.afterAnswer(async () => await noteAnswered(context, row));
    return await answer(db, result);
  };
  if (payment.kind === 'transfer') return await payByTransfer(context, call, purchase, payment, answerWithHeaders);
  return await answerWithHeaders(context.database.db, await payByStandardPayment(context, call, purchase, payment));
}

/** Runs after the answer was sent: a client that never got the secrets gets them when it asks again. */
async function noteAnswered({ database }: X402Context, { subjectId }: PurchaseRow): Promise<void> {
  reachCrashPoint('x402.before_told');
  await markAnswered(database.db, subjectId);
}
