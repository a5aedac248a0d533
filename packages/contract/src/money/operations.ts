import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { networkName } from '../kernel/networks.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { usdAmount, wireTime } from '../kernel/wire.ts';
import { agentEarnings, agentPayout, payoutState } from './schema.ts';

export const statementLine = z
  .object({
    posted_at: wireTime,
    kind: z.string().describe('Kind of movement'),
    subject_id: z.string().describe('The record it is about'),
    network: networkName,
    account: z.string(),
    amount_usd: usdAmount.describe('Positive: more is owed to the holder; negative: less'),
    balance_usd: usdAmount.describe('Balance of this account after the movement'),
  })
  .meta({ id: 'StatementLine' });

const payout = z
  .object({
    payout_id: z.string(),
    purpose: z.enum(['payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal']),
    subject_id: z.string(),
    network: networkName,
    destination: z.string(),
    amount_usd: usdAmount,
    state: payoutState,
    reason: z.string().nullable().describe('Why it waits or was parked'),
    tx_hash: z.string().nullable(),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'Payout' });

const receipt = z
  .object({
    network: networkName,
    reference: z.string(),
    payer: z.string(),
    received_usd: usdAmount,
    finality: z.enum(['seen', 'confirmed', 'final', 'gone']),
    block_time: wireTime,
  })
  .meta({ id: 'UnmatchedReceipt' });

const exampleLine = {
  posted_at: '2026-11-15 14:05:00',
  kind: 'escrow_released',
  subject_id: 'ord_1700000000000_k3v9x1q7a',
  network: 'base-mainnet',
  account: 'agent_payable',
  amount_usd: '162.00',
  balance_usd: '162.00',
};

const examplePayout = {
  payout_id: 'pay_1700000000000_k3v9x1q7a',
  purpose: 'payout',
  subject_id: 'ord_1700000000000_k3v9x1q7a',
  network: 'base-mainnet',
  destination: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount_usd: '162.00',
  state: 'parked',
  reason: 'The destination cannot receive USDC.',
  tx_hash: null,
  created_at: '2026-11-15 14:05:00',
  updated_at: '2026-11-15 14:06:00',
};

const ofOrder = { order_id: z.string().min(1).max(80).optional().describe('Only the movements of this order') };

const statementQuery = z.object({ ...ofOrder, ...searchIn('kind', 'record', 'network'), ...pageQuery(100, 1000) });

const adminOnly = { accepts: ['admin'] } as const;
const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const agentOwnerOrAdmin = {
  accepts: ['api_key', 'idp', 'wallet', 'admin'],
  rule: 'The agent, its owner, or an administrator.',
} as const satisfies Access;

const { limit, cursor } = pageQuery(50, 100);

export const moneyOperations = {
  agentStatement: defineOperation({
    summary: 'Read the statement of an agent',
    description: 'Every change of the amount that the marketplace owes the agent, newest first. Send `Accept: text/csv` to get a file.',
    input: {
      path: ofAgent,
      query: statementQuery,
    },
    output: {
      data: z.object({ lines: z.array(statementLine), balances: z.array(z.object({ network: networkName, owed_usd: usdAmount })) }),
      extras: pageExtras,
    },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    power: 'read',
    access: agentOwnerOrAdmin,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/statement', csvOf: 'lines' },
    examples: [
      {
        title: 'One completed order',
        input: { id: 'tallyrook' },
        data: { lines: [exampleLine], balances: [{ network: 'base-mainnet', owed_usd: '162.00' }] },
      },
    ],
  }),

  agentEarnings: defineOperation({
    summary: 'Read the daily earnings of an agent',
    description:
      'For charts: per UTC day, the amount released, and the amount paid that is still held. Amounts are the agent’s part, without the fee.',
    input: {
      path: ofAgent,
      query: z.object({
        days: z.coerce
          .number<number>('days must be a whole number.')
          .int('days must be a whole number.')
          .min(1, 'days must be at least 1.')
          .max(365, 'days must be at most 365.')
          .default(30),
      }),
    },
    output: { data: agentEarnings },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: agentOwnerOrAdmin,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/earnings' },
    examples: [
      {
        title: 'One day',
        input: { id: 'tallyrook', days: 1 },
        data: {
          released_usd: '162.00',
          held_usd: '45.00',
          held_orders: 1,
          in_review_usd: '162.00',
          in_review_orders: 1,
          next_release_at: '2026-11-17 14:05:00',
          completed_orders: 1,
          accepted_first_time: 1,
          days: [{ day: '2026-11-15', released_usd: '162.00', unsettled_usd: '207.00' }],
        },
      },
    ],
  }),

  agentPayouts: defineOperation({
    summary: 'List the payouts of an agent',
    description: 'Transfers to the agent for its orders, and those back to its buyers, newest first.',
    input: { path: ofAgent, query: z.object({ ...searchIn('title', 'reason', 'ids', 'address', 'transaction'), limit, cursor }) },
    output: {
      data: z.array(agentPayout),
      extras: z.object({ next_cursor: z.string().nullable().describe('Pass as `cursor` for the next page; null on the last one') }),
    },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    power: 'read',
    access: agentOwnerOrAdmin,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/payouts' },
    examples: [
      {
        title: 'One that waits for another address',
        input: { id: 'tallyrook' },
        data: [
          {
            payout_id: examplePayout.payout_id,
            purpose: 'payout',
            order_id: examplePayout.subject_id,
            service_title: 'Ledger reconciliation',
            network: 'base-mainnet',
            destination: examplePayout.destination,
            amount_usd: '162.00',
            state: 'parked',
            reason: examplePayout.reason,
            attempts: 1,
            tx_hash: null,
            explorer_url: null,
            created_at: '2026-11-15 14:05:00',
            updated_at: '2026-11-15 14:06:00',
          },
        ],
      },
    ],
  }),

  platformStatement: defineOperation({
    summary: 'Read the statement of the marketplace',
    description: 'Funds held on each network, amounts owed, and every movement of the marketplace’s fees.',
    input: { query: statementQuery },
    output: {
      data: z.object({
        lines: z.array(statementLine),
        totals: z.array(z.object({ network: networkName, account: z.string(), total_usd: usdAmount })),
      }),
      extras: pageExtras,
    },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/statement', csvOf: 'lines' },
    examples: [
      {
        title: 'Held against owed',
        data: {
          lines: [{ ...exampleLine, account: 'platform_fee', amount_usd: '18.00', balance_usd: '18.00' }],
          totals: [{ network: 'base-mainnet', account: 'treasury', total_usd: '-180.00' }],
        },
      },
    ],
  }),

  payouts: defineOperation({
    summary: 'List outgoing transfers',
    input: {
      query: z.object({
        state: z
          .enum(['open', 'queued', 'signed', 'sent', 'unknown', 'confirmed', 'parked', 'void'])
          .optional()
          .describe('`open`: everything on its way'),
        ...searchIn('reason', 'network', 'ids', 'address', 'transaction'),
        ...pageQuery(50, 500),
      }),
    },
    output: { data: z.array(payout), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/payouts' },
    examples: [{ title: 'Waiting for a decision', input: { state: 'parked' }, data: [examplePayout] }],
  }),

  retryPayout: defineOperation({
    summary: 'Try a parked payout again',
    description:
      '`destination` sends it to another address. An address that can never be paid is refused: no wallet, a token or a program, or the marketplace’s own. Earlier signed transactions can no longer land, so it is paid at most once.',
    input: {
      path: z.object({ payout_id: z.string().min(1).max(80) }),
      body: z.object({ destination: z.string().min(1).max(100).optional() }),
    },
    output: { data: payout },
    errors: ['payout_not_found', 'payout_not_parked', 'payout_destination_invalid', 'chain_unavailable'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/admin/payouts/{payout_id}/retry' },
    examples: [
      { title: 'Again', input: { payout_id: examplePayout.payout_id }, data: { ...examplePayout, state: 'queued', reason: null } },
    ],
  }),

  unmatched: defineOperation({
    summary: 'List unclaimed transfers',
    input: { query: z.object({ ...searchIn('transaction', 'payer', 'network'), ...pageQuery(50, 500) }) },
    output: { data: z.array(receipt), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/receipts/unmatched' },
    examples: [
      {
        title: 'An underpayment',
        data: [
          {
            network: 'base-mainnet',
            reference: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
            payer: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
            received_usd: '4.99',
            finality: 'final',
            block_time: '2026-11-15 14:05:00',
          },
        ],
      },
    ],
  }),

  refundSurplus: defineOperation({
    summary: 'Refund a surplus to its payer',
    description: 'Sends all surplus owed to this payer on that network in one transfer.',
    input: { body: z.object({ network: networkName, payer: walletAddress }) },
    output: { data: payout },
    errors: ['network_not_available', 'no_surplus', 'payment_not_final'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/admin/surplus/refund' },
    examples: [
      {
        title: 'Back to the payer',
        input: { network: 'base-mainnet', payer: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
        data: { ...examplePayout, purpose: 'surplus', state: 'queued', reason: null },
      },
    ],
  }),

  refundUnmatched: defineOperation({
    summary: 'Send an unclaimed transfer back to its payer',
    input: { body: z.object({ network: networkName, reference: z.string().min(1).max(100) }) },
    output: { data: payout },
    errors: [
      'network_not_available',
      'invalid_payment_reference',
      'payment_already_used',
      'payment_not_found',
      'payment_not_final',
      'payer_unknown',
      'payment_from_marketplace',
      'chain_unavailable',
    ],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/admin/receipts/refund' },
    examples: [
      {
        title: 'Back to the payer',
        input: { network: 'base-mainnet', reference: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036' },
        data: { ...examplePayout, purpose: 'refund', state: 'queued', reason: null },
      },
    ],
  }),
};
