/** The order of a paid hire: stored until the money has moved, made, and presented to its buyer. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderId, toWireTime } from '@market/contract';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { escrow } from '../../ledger/index.ts';
import { createMachineOrder, findOrder, isWithheld, type MachineHire, payoutOutlook } from '../../orders/index.ts';
import { type ClaimRow, claimPayment, type NewPayment, surplusOf } from '../../payments/index.ts';
import { insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { PaidRequest, PurchaseResult } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import { type GivenTokens, type IssuedTokens, issueOrderTokens, type StoredTokens, tokensFor } from './order-tokens.ts';

export type HireData = OperationAnswer<Operations['x402']['pay']>['data'];

const storedHire = z.object({
  order_id: z.string(),
  service: z.record(z.string(), z.unknown()),
  brief: z.string(),
  reference_urls: z.array(z.string()),
  requirement_answers: z.record(z.string(), z.unknown()).nullable(),
  price_micros: z.string().transform(BigInt),
  settlement: z.enum(['instant', 'on_approval']),
  client_agent_id: z.string().nullable(),
  connection_id: z.string().nullable().default(null),
});

/** A hire and the connected program that asked for it. */
interface RequestedHire {
  readonly hire: MachineHire;
  readonly connectionId: string | null;
}

export function packHire({ hire, connectionId }: RequestedHire): z.input<typeof storedHire> {
  return {
    order_id: hire.orderId,
    service: { ...hire.service },
    brief: hire.brief,
    reference_urls: [...hire.referenceUrls],
    requirement_answers: hire.requirementAnswers === null ? null : { ...hire.requirementAnswers },
    price_micros: String(hire.priceMicros),
    settlement: hire.settlement,
    client_agent_id: hire.clientAgentId,
    connection_id: connectionId,
  };
}

function unpackHire(stored: unknown): RequestedHire {
  const { connection_id: connectionId, ...hire } = storedHire.parse(stored);
  return {
    connectionId,
    hire: {
      orderId: hire.order_id as MachineHire['orderId'],
      service: hire.service as unknown as MachineHire['service'],
      brief: hire.brief,
      referenceUrls: hire.reference_urls,
      requirementAnswers: hire.requirement_answers,
      priceMicros: hire.price_micros,
      settlement: hire.settlement,
      clientAgentId: hire.client_agent_id as MachineHire['clientAgentId'],
    },
  };
}

/** Claims the transfer, makes the order and its tokens, and stores the answer, in one transaction. */
export async function recordHire(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidRequest): Promise<PurchaseRow> {
  const { network, key } = payment;
  const { hire, connectionId } = unpackHire(paid.request);
  const claim = await claimPayment(tx, context, payment, escrow(network, hire.orderId));
  const order = await createMachineOrder(
    tx,
    context,
    hire,
    { network, reference: claim.reference, payer: claim.payer, paidMicros: claim.priceMicros, contestableUntil: claim.contestableUntil },
    context.clock.now(),
  );
  const tokens = await issueOrderTokens(tx, context, order.id, { settledVia: paid.settledVia, connectionId });
  const data = storedAnswer(context, hire, { claim, network, status: order.status, tokens, settledVia: paid.settledVia });
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

export function sealedHireFor(subjectId: string): string {
  return `machine_hires/${subjectId}`;
}

/** The answer as it is sealed: with all tokens, and without fields that may change. */
interface StoredHire
  extends Omit<HireData, 'x402' | 'contestable_until' | 'poll_hint' | 'read_token' | 'buyer_token' | 'token_expires_at'>,
    StoredTokens {
  readonly x402: Omit<HireData['x402'], 'payout'>;
}

interface Outcome {
  readonly claim: ClaimRow;
  readonly network: keyof typeof networkFacts;
  readonly status: string;
  readonly tokens: IssuedTokens;
  readonly settledVia: PaidRequest['settledVia'];
}

function storedAnswer({ baseUrl }: X402Context, hire: MachineHire, outcome: Outcome): StoredHire {
  const { claim, network, settledVia } = outcome;
  const url = `${baseUrl}/api/orders/${hire.orderId satisfies OrderId}`;
  const fee = feeOf(hire.priceMicros);
  return {
    order_id: hire.orderId,
    status: outcome.status,
    status_url: url,
    result_url: url,
    tokens: outcome.tokens,
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
