/** One paid request: the flavour in which it is paid, and what its answer may hold. */
import type { Call } from '../../access/call.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { PresentedPayment } from './classify-payment.ts';
import { payByPayment } from './pay-by-payment.ts';
import { payByTransfer } from './pay-by-transfer.ts';
import type { Bought, Purchase } from './purchase.ts';
import { markTold, type PurchaseRow } from './repository.ts';
import type { X402Context } from './x402-context.ts';

export async function payFor(
  context: X402Context,
  call: Call,
  purchase: Purchase,
  payment: Exclude<PresentedPayment, { kind: 'none' }>,
): Promise<Bought> {
  call.setHeader('Cache-Control', 'private, no-store');
  const bought =
    payment.kind === 'transfer'
      ? await payByTransfer(context, call.caller, purchase, payment)
      : await payByPayment(context, call.caller, purchase, payment);
  const { row, withSecrets, headers } = bought;
  for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
  if (withSecrets && row.toldAt === null) call.afterAnswer(async () => await noteTold(context, row));
  return bought;
}

/** Only when the answer is out: who never heard it gets the secrets when they ask again. */
async function noteTold({ database }: X402Context, { subjectId }: PurchaseRow): Promise<void> {
  reachCrashPoint('x402.before_told');
  await markTold(database.db, subjectId);
}
