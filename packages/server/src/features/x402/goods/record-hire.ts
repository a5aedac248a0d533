/** What a machine gets for its payment, and the one place where the order that it bought is made. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderId, toWireTime } from '@market/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { newOrderToken } from '../../../platform/random.ts';
import { escrow } from '../../ledger/index.ts';
import { createMachineOrder, findOrder, type MachineHire, payoutOutlook } from '../../orders/index.ts';
import { type ClaimRow, claimPayment, type NewPayment, surplusOf } from '../../payments/index.ts';
import type { PurchaseResult } from '../intake/purchase.ts';
import { insertOrderToken, insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';
import type { PaidRequest } from './record-purchase.ts';

export type HireData = OperationAnswer<Operations['x402']['pay']>['data'];

export interface PaidHire extends PaidRequest {
  readonly hire: MachineHire;
}

/** Claims the transfer, makes the order, its token and the stored answer: together or not at all. */
export async function recordHire(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidHire): Promise<PurchaseRow> {
  const { network, key } = payment;
  const claim = await claimPayment(tx, context, payment, escrow(network, paid.hire.orderId));
  const order = await createMachineOrder(
    tx,
    context,
    paid.hire,
    { network, reference: claim.reference, payer: claim.payer, paidMicros: claim.priceMicros },
    context.clock.now(),
  );
  const buyersToken = await issueToken(tx, context, order.id, { readsOnly: false });
  // A public reference proves nobody: whoever presents it first may watch the order, and no more.
  const readersToken = paid.settledVia === 'transfer' ? await issueToken(tx, context, order.id, { readsOnly: true }) : null;
  const data = storedAnswer(context, paid, { claim, network, status: order.status, buyersToken, readersToken });
  return await insertPurchase(tx, {
    caip2: key.caip2,
    reference: claim.reference,
    subjectId: order.id,
    payer: claim.payer,
    purpose: paid.purpose,
    fingerprint: paid.fingerprint,
    sealedAnswer: context.secrets.seal(JSON.stringify(data), sealedHireFor(order.id)),
  });
}

async function issueToken(tx: Tx, { secrets }: X402Context, orderId: OrderId, { readsOnly }: { readonly readsOnly: boolean }) {
  const token = newOrderToken();
  await insertOrderToken(tx, { tokenHash: firstOf(secrets.lookupHashes(token)), orderId, readsOnly });
  return token;
}

/** What the presenter is told: the order as it was bought, its money as it is now, and the token that this presenter may have. */
export async function hireAnswer(db: Db, context: X402Context, { row, hearer }: PurchaseResult): Promise<HireData> {
  const opened = context.secrets.open(row.sealedAnswer, sealedHireFor(row.subjectId));
  const { readers_token: readersToken, read_token: buyersToken, x402, ...stored } = JSON.parse(opened) as StoredHire;
  const order = await findOrder(db, row.subjectId);
  if (order === undefined) throw new Error(`order ${row.subjectId} vanished`);
  const token = hearer === 'payer' ? buyersToken : hearer === 'first' ? readersToken : null;
  return {
    ...stored,
    read_token: token ?? null,
    poll_hint: token == null ? SIGN_TO_POLL : POLL_WITH_TOKEN,
    contestable_until: order.contestableUntil === null ? null : toWireTime(order.contestableUntil),
    // Answers stored before surpluses were told have no such field.
    x402: { ...x402, surplus: x402.surplus ?? null, payout: await payoutOutlook(db, context, order) },
  };
}

const POLL_WITH_TOKEN =
  'GET status_url with the header "Authorization: Bearer <read_token>" (or add ?read_token=<read_token>) every 30 seconds until status is delivered.';
const SIGN_TO_POLL =
  'GET status_url with a signature of the wallet that paid every 30 seconds. The read token came with the first answer to this payment.';

function firstOf(hashes: readonly Buffer[]): Buffer {
  const [current] = hashes;
  if (current === undefined) throw new Error('there is always a current key');
  return current;
}

export function sealedHireFor(subjectId: string): string {
  return `machine_hires/${subjectId}`;
}

/** As it is sealed: with both tokens, and without what may change. */
interface StoredHire extends Omit<HireData, 'x402' | 'contestable_until' | 'poll_hint'> {
  readonly x402: Omit<HireData['x402'], 'payout'>;
  readonly readers_token?: string | null;
}

interface Outcome {
  readonly claim: ClaimRow;
  readonly network: keyof typeof networkFacts;
  readonly status: string;
  readonly buyersToken: string;
  readonly readersToken: string | null;
}

function storedAnswer({ baseUrl }: X402Context, { hire, settledVia }: PaidHire, outcome: Outcome): StoredHire {
  const { claim, network } = outcome;
  const url = `${baseUrl}/api/orders/${hire.orderId satisfies OrderId}`;
  const fee = feeOf(hire.priceMicros);
  return {
    order_id: hire.orderId,
    status: outcome.status,
    status_url: url,
    result_url: url,
    read_token: outcome.buyersToken,
    readers_token: outcome.readersToken,
    x402: {
      payment_verified: true,
      payer_wallet: claim.payer,
      total_charged_usd: Number(formatUsd(hire.priceMicros + fee)),
      platform_fee_usd: Number(formatUsd(fee)),
      provider_payout_usd: Number(formatUsd(hire.priceMicros)),
      tx_signature: claim.reference,
      payment_chain: networkFacts[network].chain,
      settled_via: settledVia,
      surplus: surplusOf(network, claim),
    },
  };
}
