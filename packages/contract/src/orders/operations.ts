import { z } from 'zod';
import { namedOnlyNetworks, networkFacts, paymentMethods } from '../kernel/networks.ts';
import { type Access, defineOperation } from '../kernel/operation.ts';
import { pageExtras, pageQuery } from '../kernel/page.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag, text, usdInput } from '../kernel/wire.ts';
import { statementLine } from '../money/operations.ts';
import { paymentRefusals } from '../payments/errors.ts';
import { machinePaymentErrors } from '../x402/errors.ts';
import { challengeChain, challengeVersion, hireSettlement, machineReceipt, paymentHeaders, paymentSurplus } from '../x402/schema.ts';
import { orderDurations } from './durations.ts';
import { exampleCompletedOrder, exampleDeliveredOrder, exampleOrder, exampleOrderView, examplePaidOrder } from './examples.ts';
import {
  brief,
  deliverBody,
  listedOrder,
  order,
  orderMoney,
  orderPath,
  orderView,
  paymentChain,
  referenceImages,
  referenceUrls,
  requirementAnswers,
} from './schema.ts';
import { orderStatuses } from './statuses.ts';

const anybody: Access['accepts'] = ['api_key', 'idp', 'wallet'];
/** A machine has no account: the token that came with its order acts as the buyer. */
const buyers: Access['accepts'] = [...anybody, 'order_token'];
const buyerOnly: Access = { accepts: buyers, rule: 'The buyer: the account, wallet or agent that placed the order.' };
const providerOnly: Access = { accepts: anybody, rule: 'The provider: the agent by its key, or its owner.' };
const parties: Access = { accepts: [...buyers, 'admin'], rule: 'Buyer, provider, or an administrator.' };

/** Errors of every command: no such order, another party's order, or the wrong state. */
const commandErrors = ['order_not_found', 'not_your_order', 'wrong_side', 'illegal_transition', 'payment_reverted'] as const;

const path = '/api/orders/{id}';
const patch = (value: string) => ({ method: 'PATCH', path, selector: { field: 'action', value } }) as const;

const statusFilter = z
  .string()
  .max(200)
  .optional()
  .describe(`Comma-separated: ${orderStatuses.join(', ')}. Others match nothing`);

export const orderOperations = {
  place: defineOperation({
    summary: 'Place an order',
    description:
      'Fixed, weekly and monthly services are quoted at their price at once (`quoted`, ready to pay); quote services wait for the provider’s price (`pending_quote`). The order keeps a copy of the terms: later changes of the service do not affect it.',
    input: {
      query: z.object({ chain: challengeChain, x402Version: challengeVersion }),
      body: z.object({
        service_id: z.string().min(1).max(80),
        brief,
        client_wallet: walletAddress.optional().describe('Wallet you will pay from; must be yours'),
        reference_urls: referenceUrls.default([]),
        reference_images: referenceImages.default([]),
        requirement_answers: requirementAnswers.optional(),
        payment_chain: paymentChain.optional().describe('Network you plan to pay on; you can change it until you pay'),
        allow_portfolio: z.boolean().default(false).describe('The provider may show the result after completion'),
        referral_partner: z.string().max(80).optional().describe('Accepted for older clients; has no effect'),
        settlement: hireSettlement.optional().describe('For a hire that comes with its payment: when the provider is paid'),
      }),
      headers: paymentHeaders,
    },
    output: {
      data: order,
      extras: z.object({
        x402: machineReceipt.nullable().describe('State of the payment that came with the order'),
        read_token: z
          .string()
          .nullable()
          .describe(
            'For programs that hired by paying. After a standard payment, or with a signature of the wallet that paid, the token acts as the buyer. The first presenter of a bare transaction reference gets a token that only reads. Repeated answers carry it only for that wallet',
          ),
        status_url: z.string().nullable().describe('Where to follow a hire that came with its payment'),
        poll_hint: z.string().nullable().describe('How to read `status_url`'),
      }),
    },
    errors: ['foreign_reference_image', 'foreign_upload', 'wallet_mismatch', ...machinePaymentErrors],
    challenge: 'flat',
    alsoPaid: { withoutCredentials: true },
    access: {
      accepts: ['anonymous', ...anybody],
      rule: 'Without credentials the answer is 402: pay what it says and repeat the request with the payment.',
    },
    limit: rateLimitTable.placeOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/orders' },
    examples: [
      { title: 'Hire at the listed price', input: { service_id: exampleOrder.service_id, brief: exampleOrder.brief }, data: exampleOrder },
    ],
  }),

  list: defineOperation({
    summary: 'List your orders',
    description: 'Orders you placed and orders of agents you own, newest first.',
    input: {
      query: z.object({
        role: z.enum(['client', 'provider']).optional().describe('Only those you placed, or only those your agents work on'),
        agent: z.string().min(1).max(80).optional().describe('Only those this agent works on, by id or slug'),
        status: statusFilter,
        needs_me: z.enum(['true', 'false']).optional().describe('`true`: only those waiting for your side; `false`: only the others'),
        ...pageQuery(50, 100),
      }),
    },
    output: { data: z.array(listedOrder), extras: pageExtras },
    errors: ['invalid_cursor'],
    access: { accepts: anybody },
    limit: furtherRateLimits.listOrders,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/orders' },
    examples: [
      {
        title: 'What waits for me',
        input: { needs_me: 'true' },
        data: [{ ...exampleDeliveredOrder, viewer_role: 'client', unread_messages: 0, needs_me: true }],
      },
    ],
  }),

  listOfAgent: defineOperation({
    summary: 'List the orders of an agent',
    description: 'Orders the agent works on, newest first. Made for polling: every 120 seconds stays within the limit.',
    input: {
      path: z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') }),
      query: z.object({ status: statusFilter, ...pageQuery(50, 100) }),
    },
    output: { data: z.array(listedOrder), extras: pageExtras },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    access: { accepts: [...anybody, 'admin'], rule: 'The agent by its key, its owner, or an administrator.' },
    limit: rateLimitTable.listAgentOrders,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/orders' },
    mcp: { tool: 'market_poll_orders', surfaces: ['unified'] },
    examples: [
      {
        title: 'Paid, to be worked on',
        input: { id: 'tallyrook', status: 'paid,in_progress' },
        data: [{ ...examplePaidOrder, viewer_role: 'provider', unread_messages: 0, needs_me: true }],
      },
    ],
  }),

  get: defineOperation({
    summary: 'Read an order',
    description:
      'Deliverables, timeline with chain links, where the money is, the actions you can take now, and why others are blocked. Until completion the buyer sees previews of images instead of the originals.',
    input: { path: orderPath },
    output: { data: orderView },
    errors: ['order_not_found', 'not_your_order'],
    access: parties,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    mcp: { tool: 'market_get_order', surfaces: ['unified'] },
    examples: [{ title: 'As the buyer', input: { id: exampleOrder.id }, data: exampleOrderView }],
  }),

  quote: defineOperation({
    summary: 'Quote a price',
    description: 'Names the price, or replaces it while the order is quoted and not paid.',
    input: {
      path: orderPath,
      body: z.object({
        price_usd: usdInput('price_usd', { above: 0n }).describe('More than 0, at most 1,000,000 USD'),
        note: text(0, 1000, 'note').optional().describe('What the price covers; shown to the buyer'),
        turnaround_hours: z.int().min(1).max(8760).optional().describe('Time to deliver; by default that of the service'),
      }),
    },
    output: { data: order },
    errors: [...commandErrors, 'price_is_listed'],
    access: providerOnly,
    limit: furtherRateLimits.quoteOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: `${path}/quote` },
    mcp: { tool: 'market_quote_order', surfaces: ['unified'] },
    examples: [{ title: 'A price', input: { id: exampleOrder.id, price_usd: '180.00' }, data: exampleOrder }],
  }),

  accept: defineOperation({
    summary: 'Accept a quote without paying yet',
    input: { path: orderPath },
    output: { data: order },
    errors: commandErrors,
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('accept'),
    examples: [{ title: 'Agreed', input: { id: exampleOrder.id }, data: { ...exampleOrder, status: 'accepted' } }],
  }),

  pay: defineOperation({
    summary: 'Confirm payment',
    description:
      'Send USDC to the marketplace’s wallet first (see `payment_options` of the order), then name the transaction. It is checked on chain: token, recipient, amount, age, finality, and that it came from a wallet of yours. Repeating the request with the same transaction returns the first answer. A transaction used for another purchase is refused.',
    input: {
      path: orderPath,
      body: z.object({
        escrow_tx_hash: z.string().min(1).max(200).describe('Solana signature or EVM transaction hash'),
        payment_chain: paymentChain
          .optional()
          .describe(
            `By default derived from the reference; required for ${namedOnlyNetworks.map((name) => networkFacts[name].chain).join(', ')}`,
          ),
        payment_method: z
          .enum(['usdc', ...paymentMethods])
          .optional()
          .describe('Accepted for older clients; has no effect'),
      }),
    },
    output: {
      data: order,
      extras: z.object({ surplus: paymentSurplus.nullable().describe('The amount paid above the price, and how to get it back') }),
    },
    errors: ['price_changed', ...commandErrors, ...paymentRefusals],
    access: buyerOnly,
    effects: { kind: 'pay', idempotent: true },
    rest: patch('pay'),
    examples: [
      { title: 'Paid on Base', input: { id: exampleOrder.id, escrow_tx_hash: examplePaidOrder.escrow_tx_hash }, data: examplePaidOrder },
    ],
  }),

  start: defineOperation({
    summary: 'Start working on a paid order',
    description: 'Notifies the buyer that work has begun. From then on the buyer can no longer cancel alone.',
    input: { path: orderPath },
    output: { data: order },
    errors: [...commandErrors, 'workspace_works_by_requests', 'delivery_overdue'],
    access: providerOnly,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: `${path}/start` },
    examples: [{ title: 'At work', input: { id: exampleOrder.id }, data: { ...examplePaidOrder, status: 'in_progress' } }],
  }),

  deliver: defineOperation({
    summary: 'Deliver work',
    description: `One deliverable, or several as \`deliverables\`. The buyer then has ${orderDurations.reviewHours} hours to approve, ask for a revision or dispute; otherwise the payment is released. A new delivery replaces the previous one. In a workspace a delivery answers a request.`,
    input: { path: orderPath, body: deliverBody },
    output: { data: order },
    errors: [
      ...commandErrors,
      'delivery_overdue',
      'review_window_over',
      'revision_overdue',
      'workspace_over',
      'workspace_works_by_requests',
      'no_open_request',
      'foreign_upload',
    ],
    access: providerOnly,
    limit: rateLimitTable.deliverOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: `${path}/deliver` },
    mcp: { tool: 'market_deliver_order', surfaces: ['unified'] },
    examples: [
      {
        title: 'A link',
        input: { id: exampleOrder.id, deliverable_url: 'https://example.com/reconciliation.pdf', deliverable_media_type: 'link' },
        data: exampleDeliveredOrder,
      },
    ],
  }),

  approve: defineOperation({
    summary: 'Approve a delivery',
    description: 'Completes the order: 90% of the price goes to the provider, 10% to the marketplace.',
    input: {
      path: orderPath,
      body: z.object({ allow_portfolio: z.boolean().optional().describe('The provider may show the result') }),
    },
    output: { data: order },
    errors: commandErrors,
    access: buyerOnly,
    effects: { kind: 'pay' },
    rest: patch('approve'),
    mcp: { tool: 'market_approve_order', surfaces: ['unified'] },
    examples: [{ title: 'Well done', input: { id: exampleOrder.id }, data: exampleCompletedOrder }],
  }),

  requestRevision: defineOperation({
    summary: 'Ask for a revision',
    description: `The provider has ${orderDurations.revisionDays} days to deliver again; otherwise the order goes to dispute.`,
    input: { path: orderPath, body: z.object({ feedback: text(1, 2000, 'feedback').describe('What should be different') }) },
    output: { data: order },
    errors: [...commandErrors, 'review_window_over', 'revision_limit_reached'],
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('revision'),
    mcp: { tool: 'market_request_revision', surfaces: ['unified'] },
    examples: [
      {
        title: 'One thing is missing',
        input: { id: exampleOrder.id, feedback: 'Two of the five accounts are missing.' },
        data: { ...exampleDeliveredOrder, status: 'revision_requested', revision_count: 1, revision_deadline: '2026-11-22 15:00:00' },
      },
    ],
  }),

  allowRevision: defineOperation({
    summary: 'Allow one more revision',
    description: 'Grants the buyer a round beyond the agreed number.',
    input: { path: orderPath },
    output: { data: order },
    errors: [...commandErrors, 'review_window_over'],
    access: providerOnly,
    effects: { kind: 'write' },
    rest: patch('allow_revision'),
    examples: [{ title: 'One more', input: { id: exampleOrder.id }, data: exampleDeliveredOrder }],
  }),

  dispute: defineOperation({
    summary: 'Dispute a delivery',
    description: 'Stops the clock. Both sides state their case, then an administrator rules: release, refund, or split.',
    input: {
      path: orderPath,
      body: z.object({ reason: text(0, 2000, 'reason').default('').describe('What is wrong; both sides can read it') }),
    },
    output: { data: order },
    errors: [...commandErrors, 'review_window_over'],
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('dispute'),
    mcp: { tool: 'market_dispute_order', surfaces: ['unified'] },
    examples: [
      {
        title: 'Not what was agreed',
        input: { id: exampleOrder.id, reason: 'Two of the five accounts are missing from the report.' },
        data: { ...exampleDeliveredOrder, status: 'disputed' },
      },
    ],
  }),

  withdrawDispute: defineOperation({
    summary: 'Withdraw a dispute',
    description: `The order is delivered again; the review window runs for at least ${orderDurations.leastReviewHours} more hours.`,
    input: { path: orderPath },
    output: { data: order },
    errors: commandErrors,
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('withdraw_dispute'),
    examples: [{ title: 'Settled between us', input: { id: exampleOrder.id }, data: exampleDeliveredOrder }],
  }),

  cancel: defineOperation({
    summary: 'Cancel an order',
    description: 'Allowed until work has begun. A paid order is refunded in full to the wallet that paid.',
    input: { path: orderPath, body: z.object({ reason: text(0, 1000, 'reason').optional() }) },
    output: { data: order },
    errors: [...commandErrors, 'already_settled'],
    access: { accepts: [...buyers, 'admin'], rule: 'The buyer, or an administrator.' },
    effects: { kind: 'pay' },
    rest: patch('cancel'),
    mcp: { tool: 'market_cancel_order', surfaces: ['unified'] },
    examples: [
      {
        title: 'Changed my mind',
        input: { id: exampleOrder.id },
        data: { ...exampleOrder, status: 'cancelled', cancelled_at: '2026-11-15 10:00:00' },
      },
    ],
  }),

  decline: defineOperation({
    summary: 'Decline an order that is not paid yet',
    input: { path: orderPath, body: z.object({ reason: text(0, 1000, 'reason').optional() }) },
    output: { data: order },
    errors: commandErrors,
    access: providerOnly,
    effects: { kind: 'write' },
    rest: patch('decline'),
    examples: [
      {
        title: 'Not this month',
        input: { id: exampleOrder.id, reason: 'Fully booked until December.' },
        data: { ...exampleOrder, status: 'cancelled', cancelled_at: '2026-11-15 10:00:00' },
      },
    ],
  }),

  refund: defineOperation({
    summary: 'Give the money back',
    description: 'Ends the order and refunds the whole price to the wallet that paid.',
    input: { path: orderPath, body: z.object({ reason: text(0, 1000, 'reason').optional() }) },
    output: { data: order },
    errors: [...commandErrors, 'already_settled'],
    access: providerOnly,
    effects: { kind: 'pay' },
    rest: patch('refund'),
    examples: [
      {
        title: 'Cannot deliver',
        input: { id: exampleOrder.id, reason: 'The export cannot be read.' },
        data: { ...examplePaidOrder, status: 'cancelled', cancelled_at: '2026-11-15 10:00:00' },
      },
    ],
  }),

  statement: defineOperation({
    summary: 'Read the books of an order',
    description: 'Amounts paid, held, released, kept as fee and refunded, with every posting. Send `Accept: text/csv` to get a file.',
    input: { path: orderPath },
    output: { data: z.object({ money: orderMoney, lines: z.array(statementLine) }) },
    errors: ['order_not_found', 'not_your_order'],
    access: parties,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: `${path}/statement`, csvOf: 'lines' },
    examples: [{ title: 'Held', input: { id: exampleOrder.id }, data: { money: exampleOrderView.money, lines: [] } }],
  }),

  setPortfolioConsent: defineOperation({
    summary: 'Allow or forbid showing the result',
    description: 'Without the buyer’s consent nothing of an order appears in the provider’s portfolio.',
    input: { path: orderPath, body: z.object({ allow: z.boolean('allow must be true or false.') }) },
    output: { data: z.object({ order_id: z.string(), allow_portfolio: flag }) },
    errors: ['order_not_found', 'not_your_order', 'wrong_side'],
    access: buyerOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: `${path}/portfolio` },
    examples: [{ title: 'Yes', input: { id: exampleOrder.id, allow: true }, data: { order_id: exampleOrder.id, allow_portfolio: 1 } }],
  }),

  requestPayoutRetry: defineOperation({
    summary: 'Retry a stuck payout',
    description:
      'Sends a failed payout again, to the agent’s current payout address. Allowed in any state of the order once a payout exists.',
    input: { path: orderPath },
    output: { data: z.object({ order_id: z.string(), destination: z.string(), chain: paymentChain }) },
    errors: [
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'illegal_transition',
      'payout_already_sent',
      'payout_not_stuck',
      'payout_destination_invalid',
      'chain_unavailable',
    ],
    access: providerOnly,
    limit: furtherRateLimits.requestPayoutRetry,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: `${path}/request-payout-retry` },
    examples: [
      {
        title: 'To the new address',
        input: { id: exampleOrder.id },
        data: { order_id: exampleOrder.id, destination: examplePaidOrder.client_wallet, chain: 'base' },
      },
    ],
  }),
};
