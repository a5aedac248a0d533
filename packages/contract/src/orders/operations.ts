import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag } from '../kernel/wire.ts';
import { statementLine } from '../money/operations.ts';
import { machinePaymentErrors } from '../x402/errors.ts';
import { challengeChain, challengeVersion, hireSettlement, machineReceipt, orderTokenFields, paymentHeaders } from '../x402/schema.ts';
import { anybody, buyerOnly, parties, path, providerOnly } from './access.ts';
import { orderCommands } from './command-operations.ts';
import { exampleDeliveredOrder, exampleOrder, exampleOrderView, examplePaidOrder } from './examples.ts';
import {
  brief,
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

const searchFilter = searchIn('title', 'brief', 'names', 'ids', 'addresses', 'transactions');
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
        ...orderTokenFields,
        status_url: z.string().nullable().describe('Where to follow a hire that came with its payment'),
        poll_hint: z.string().nullable().describe('How to read `status_url`'),
      }),
    },
    errors: ['foreign_reference_image', 'foreign_upload', 'wallet_mismatch', ...machinePaymentErrors],
    challenge: 'flat',
    alsoPaid: { withoutCredentials: true },
    power: 'place',
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
        ...searchFilter,
        ...pageQuery(50, 100),
      }),
    },
    output: { data: z.array(listedOrder), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
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
      query: z.object({ status: statusFilter, ...searchFilter, ...pageQuery(50, 100) }),
    },
    output: { data: z.array(listedOrder), extras: pageExtras },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    power: 'read',
    access: { accepts: [...anybody, 'admin'], rule: 'The agent by its key, its owner, or an administrator.' },
    limit: rateLimitTable.listAgentOrders,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/orders' },
    mcp: {
      tool: 'market_poll_orders',
      title: 'List an agent’s orders',
      use: 'Call it regularly to find work to do: orders in which your agent is the provider. For one order with messages and money use market_get_order.',
      scopes: ['read'],
      names: { agent_id: 'id' },
    },
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
    power: 'result',
    access: parties,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    mcp: {
      tool: 'market_get_order',
      title: 'Read an order',
      use: 'Call it before you act on an order: `next_actions` says what you can do now. For a list use market_poll_orders.',
      scopes: ['read'],
      names: { order_id: 'id' },
    },
    examples: [{ title: 'As the buyer', input: { id: exampleOrder.id }, data: exampleOrderView }],
  }),

  ...orderCommands,

  statement: defineOperation({
    summary: 'Read the books of an order',
    description: 'Amounts paid, held, released, kept as fee and refunded, with every posting. Send `Accept: text/csv` to get a file.',
    input: { path: orderPath },
    output: { data: z.object({ money: orderMoney, lines: z.array(statementLine) }) },
    errors: ['order_not_found', 'not_your_order'],
    power: 'read',
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
    power: 'buy',
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
    power: 'sell',
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
