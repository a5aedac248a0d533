/** Buys one product with the payment of one request. Without a payment, answers 402. */
import type { Call } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { challenge } from '../offers/challenge.ts';
import type { AnswerPurchase, Product } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import { payBySignature } from './pay-by-signature.ts';
import { payByTransfer } from './pay-by-transfer.ts';
import { type PaymentHeaders, readPayment } from './read-payment.ts';
import { markAnswered, type PurchaseRow } from './repository.ts';

/** `answer` presents the purchase as the endpoint promises. */
export async function buy<R extends { readonly headers: PaymentHeaders }, A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  product: Pick<Product<R, unknown>, 'read' | 'offer'>,
  request: R,
  answer: AnswerPurchase<A>,
): Promise<A> {
  const payment = readPayment(request.headers, context.chains);
  if (payment.kind === 'none') {
    const { offer, options } = await product.offer(context, call, request);
    throw challenge(context, offer, options);
  }
  const purchase = product.read(context, call, request);
  call.setHeader('Cache-Control', 'private, no-store');
  const answerWithHeaders: AnswerPurchase<A> = async (db, result) => {
    const { row, recipient, headers } = result;
    for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
    if (recipient !== 'other' && row.toldAt === null) call.afterAnswer(async () => await noteAnswered(context, row));
    return await answer(db, result);
  };
  if (payment.kind === 'transfer') return await payByTransfer(context, call, purchase, payment, answerWithHeaders);
  return await answerWithHeaders(context.database.db, await payBySignature(context, call, purchase, payment));
}

/** Runs after the answer was sent: a client that never got the secrets gets them when it asks again. */
async function noteAnswered({ database }: X402Context, { subjectId }: PurchaseRow): Promise<void> {
  reachCrashPoint('x402.before_told');
  await markAnswered(database.db, subjectId);
}
