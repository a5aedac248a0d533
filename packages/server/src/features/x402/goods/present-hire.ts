/** The answer to a paid hire. */
import { toWireTime } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findOrder, isWithheld, payoutOutlook } from '../../orders/index.ts';
import type { PurchaseResult } from '../intake/purchase.ts';
import type { X402Context } from '../x402-context.ts';
import { type GivenTokens, tokensFor } from './issue-order-tokens.ts';
import { type HireData, type StoredHire, sealedHireFor } from './record-hire.ts';

/** The order as it was bought, its payout as planned now, and the tokens that this recipient may have. */
export async function presentHire(db: Db, context: X402Context, result: PurchaseResult, caller: Caller): Promise<HireData> {
  const { row } = result;
  const opened = JSON.parse(context.secrets.open(row.sealedAnswer, sealedHireFor(row.subjectId))) as StoredHire;
  const { tokens: _tokens, read_token: _acting, readers_token: _reading, x402, ...stored } = opened;
  const order = await findOrder(db, row.subjectId);
  if (order === undefined) throw new Error(`order ${row.subjectId} vanished`);
  const given = await tokensFor(db, context, opened, result, caller);
  return {
    ...stored,
    ...given,
    poll_hint: [hintFor(given), ...(isWithheld(order, { seesResults: false }) ? [WITHHELD] : [])].join(' '),
    contestable_until: order.contestableUntil === null ? null : toWireTime(order.contestableUntil),
    // Answers stored by older versions have no `surplus`.
    x402: { ...x402, surplus: x402.surplus ?? null, payout: await payoutOutlook(db, context, order) },
  };
}

function hintFor({ read_token: read, buyer_token: buyer }: GivenTokens): string {
  const toAct = buyer === null ? '' : ' To act as the buyer, send buyer_token as bearer; never put it into an address.';
  if (read !== null) return `${POLL_WITH_TOKEN}${toAct}`;
  return buyer === null ? SIGN_TO_POLL : `${POLL_AS_BUYER}${toAct}`;
}

/** For buyers that are not proven: a proven payer's order is not contestable. */
const WITHHELD =
  'The result is withheld until contestable_until. To read it at once, POST status_url + "/confirm-payment" with a signature of the wallet that paid, then read with that signature: read_token ends.';
const POLL_WITH_TOKEN =
  'GET status_url with the header "Authorization: Bearer <read_token>" (or add ?read_token=<read_token>) every 30 seconds until status is delivered.';
const POLL_AS_BUYER = 'GET status_url with the header "Authorization: Bearer <buyer_token>" every 30 seconds until status is delivered.';
const SIGN_TO_POLL =
  'GET status_url with a signature of the wallet that paid every 30 seconds. The tokens came with the first answer to this payment.';
