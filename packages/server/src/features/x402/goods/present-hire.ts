/** The answer to a paid hire. */
import { toWireTime } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { findOrder, payoutOutlook, withheldUntil } from '../../orders/index.ts';
import type { PurchaseResult } from '../intake/purchase.ts';
import type { X402Context } from '../x402-context.ts';
import { type HireData, type StoredHire, sealedHireFor } from './record-hire.ts';

/** The order as it was bought, its payout as planned now, and the token that this recipient may have. */
export async function presentHire(db: Db, context: X402Context, { row, recipient }: PurchaseResult): Promise<HireData> {
  const opened = context.secrets.open(row.sealedAnswer, sealedHireFor(row.subjectId));
  const { readers_token: readersToken, read_token: buyersToken, x402, ...stored } = JSON.parse(opened) as StoredHire;
  const order = await findOrder(db, row.subjectId);
  if (order === undefined) throw new Error(`order ${row.subjectId} vanished`);
  const token = recipient === 'payer' ? buyersToken : recipient === 'first' ? readersToken : null;
  const isWithheld = withheldUntil(order, { seesResults: false }) !== null;
  return {
    ...stored,
    read_token: token ?? null,
    poll_hint: [token == null ? SIGN_TO_POLL : POLL_WITH_TOKEN, ...(isWithheld ? [WITHHELD] : [])].join(' '),
    contestable_until: order.contestableUntil === null ? null : toWireTime(order.contestableUntil),
    // Answers stored by older versions have no `surplus`.
    x402: { ...x402, surplus: x402.surplus ?? null, payout: await payoutOutlook(db, context, order) },
  };
}

/** For buyers that are not proven: a proven payer's order is not contestable. */
const WITHHELD =
  'The result is withheld until contestable_until; a signature of the wallet that paid, in the same request, shows it at once.';
const POLL_WITH_TOKEN =
  'GET status_url with the header "Authorization: Bearer <read_token>" (or add ?read_token=<read_token>) every 30 seconds until status is delivered.';
const SIGN_TO_POLL =
  'GET status_url with a signature of the wallet that paid every 30 seconds. The read token came with the first answer to this payment.';
