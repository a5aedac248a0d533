/** The commands that move an order from state to state. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { namedOnlyNetworks, networkFacts, paymentMethods } from '../kernel/networks.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { text, usdInput } from '../kernel/wire.ts';
import { paymentRefusals } from '../payments/errors.ts';
import { paymentSurplus } from '../x402/schema.ts';
import { buyerOnly, buyers, commandErrors, patch, path, providerOnly } from './access.ts';
import { orderDurations } from './durations.ts';
import { exampleCompletedOrder, exampleDeliveredOrder, exampleOrder, examplePaidOrder } from './examples.ts';
import { deliverBody, order, orderPath, paymentChain } from './schema.ts';

export const orderCommands = {
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
    power: 'sell',
    refusesCopies: true,
    access: providerOnly,
    limit: furtherRateLimits.quoteOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: `${path}/quote` },
    mcp: {
      tool: 'market_quote_order',
      title: 'Quote an order',
      use: 'Call it as provider when an order waits for a price (`pending_quote`). Orders at a fixed price need no quote.',
      scopes: ['work'],
      names: { order_id: 'id' },
    },
    examples: [{ title: 'A price', input: { id: exampleOrder.id, price_usd: '180.00' }, data: exampleOrder }],
  }),

  accept: defineOperation({
    summary: 'Accept a quote without paying yet',
    input: { path: orderPath },
    output: { data: order },
    errors: commandErrors,
    power: 'buy',
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('accept'),
    examples: [{ title: 'Agreed', input: { id: exampleOrder.id }, data: { ...exampleOrder, status: 'accepted' } }],
  }),

  confirmPayment: defineOperation({
    summary: 'Confirm that your wallet paid for an order',
    description:
      'For an order paid by a bare transfer reference: the paying wallet vouches for the payment. It can no longer be contested, withheld results are shown, the payout is released, and what somebody else got who presented the transfer first ends. Repeating it changes nothing.',
    input: { path: orderPath },
    output: {
      data: z.object({
        order_id: z.string(),
        status: z.string(),
        contestable_until: z.null().describe('Nothing can be contested any more'),
        note: z.string().describe('How to read the order from now on'),
      }),
    },
    errors: [...commandErrors, 'payment_wrong_payer', 'signature_already_used'],
    power: 'spend',
    access: {
      accepts: ['idp', 'wallet', 'api_key'],
      rule: 'The wallet that paid: its signature, its session, or the account that it is linked to.',
    },
    limit: furtherRateLimits.quoteOrder,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: `${path}/confirm-payment` },
    examples: [
      {
        title: 'Confirmed',
        input: { id: exampleOrder.id },
        data: {
          order_id: exampleOrder.id,
          status: 'delivered',
          contestable_until: null,
          note: 'Tokens of the first presenter have ended. Read with a signature of this wallet, or repeat the hire with it for new tokens.',
        },
      },
    ],
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
    errors: ['price_changed', 'quote_changed', ...commandErrors, ...paymentRefusals],
    power: 'spend',
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
    power: 'sell',
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
    power: 'sell',
    access: providerOnly,
    limit: rateLimitTable.deliverOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: `${path}/deliver` },
    mcp: {
      tool: 'market_deliver_order',
      title: 'Deliver an order',
      use: 'Call it as provider when the work is done, or done again after a revision request. Send a link, an upload or the text itself.',
      scopes: ['work'],
      names: { order_id: 'id' },
    },
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
    power: 'buy',
    access: buyerOnly,
    effects: { kind: 'pay' },
    rest: patch('approve'),
    mcp: {
      tool: 'market_approve_order',
      title: 'Approve an order',
      use: 'Call it as buyer when a delivery is right. To have it changed use market_request_revision; to contest it use market_dispute_order.',
      scopes: ['hire'],
      names: { order_id: 'id' },
    },
    examples: [{ title: 'Well done', input: { id: exampleOrder.id }, data: exampleCompletedOrder }],
  }),

  requestRevision: defineOperation({
    summary: 'Ask for a revision',
    description: `The provider has ${orderDurations.revisionDays} days to deliver again; otherwise the order goes to dispute.`,
    input: { path: orderPath, body: z.object({ feedback: text(1, 2000, 'feedback').describe('What should be different') }) },
    output: { data: order },
    errors: [...commandErrors, 'review_window_over', 'revision_limit_reached'],
    power: 'buy',
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('revision'),
    mcp: {
      tool: 'market_request_revision',
      title: 'Request a revision',
      use: 'Call it as buyer when a delivery needs changes. If it cannot be repaired use market_dispute_order.',
      scopes: ['hire'],
      names: { order_id: 'id' },
    },
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
    power: 'sell',
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
    power: 'buy',
    access: buyerOnly,
    effects: { kind: 'write', destructive: true },
    rest: patch('dispute'),
    mcp: {
      tool: 'market_dispute_order',
      title: 'Dispute an order',
      use: 'Call it as buyer when a delivery is not what was agreed and a revision does not help. To end an order without work use market_cancel_order.',
      scopes: ['hire', 'work'],
      names: { order_id: 'id' },
    },
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
    power: 'buy',
    access: buyerOnly,
    effects: { kind: 'write' },
    rest: patch('withdraw_dispute'),
    examples: [{ title: 'Settled between us', input: { id: exampleOrder.id }, data: exampleDeliveredOrder }],
  }),

  cancel: defineOperation({
    summary: 'Cancel an order',
    description: 'Allowed until work has begun. A paid order is refunded in full to the wallet that paid.',
    input: { path: orderPath, body: z.object({ reason: text(0, 1000, 'reason').optional().describe('Why; the provider can read it') }) },
    output: { data: order },
    errors: [...commandErrors, 'already_settled'],
    power: 'buy',
    access: { accepts: [...buyers, 'admin'], rule: 'The buyer, or an administrator.' },
    effects: { kind: 'pay', destructive: true },
    rest: patch('cancel'),
    mcp: {
      tool: 'market_cancel_order',
      title: 'Cancel an order',
      use: 'Call it as buyer while no work has begun. After a delivery use market_request_revision or market_dispute_order.',
      scopes: ['hire', 'work'],
      names: { order_id: 'id' },
    },
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
    power: 'sell',
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
    power: 'sell',
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
};
