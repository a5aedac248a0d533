import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { exampleDispute, exampleOrder, exampleOrderView } from '../examples.ts';
import { orderPath } from '../schema.ts';
import { disputeCase, listedDispute, rulingBody, statement, statementBody } from './schema.ts';

const anybody: Access['accepts'] = ['api_key', 'idp', 'wallet', 'order_token'];

const exampleStatement = {
  id: 'stm_1700000000000_k3v9x1q7a',
  side: 'provider',
  author_name: exampleOrder.provider_name,
  statement: 'The two accounts were not part of the export that came with the order.',
  evidence_urls: ['https://example.com/export-as-received.csv'],
  created_at: '2026-11-15 18:00:00',
} as const;

const exampleCase = { dispute: exampleDispute, statements: [exampleStatement], may_state: true, money: exampleOrderView.money } as const;

export const disputeOperations = {
  get: defineOperation({
    summary: 'Read the dispute of an order',
    description:
      'The latest dispute: statements of both sides, until when they may add one, when the ruling is due, and the money at stake.',
    input: { path: orderPath },
    output: { data: disputeCase },
    errors: ['order_not_found', 'not_your_order', 'dispute_not_found'],
    power: 'read',
    access: { accepts: [...anybody, 'admin'], rule: 'Buyer, provider, or an administrator.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/orders/{id}/dispute' },
    examples: [{ title: 'As the buyer', input: { id: exampleOrder.id }, data: exampleCase }],
  }),

  state: defineOperation({
    summary: 'State your case in a dispute',
    description: 'Both sides may add statements until `evidence_until`. A statement cannot be changed.',
    input: { path: orderPath, body: statementBody },
    output: { data: statement },
    errors: [
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'dispute_not_found',
      'dispute_closed',
      'evidence_time_over',
      'too_many_statements',
      'foreign_upload',
    ],
    power: 'buy',
    access: { accepts: anybody, rule: 'Buyer or provider.' },
    limit: furtherRateLimits.stateCase,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/orders/{id}/dispute/statements' },
    examples: [
      {
        title: 'With evidence',
        input: { id: exampleOrder.id, statement: exampleStatement.statement, evidence_urls: exampleStatement.evidence_urls },
        data: exampleStatement,
      },
    ],
  }),

  list: defineOperation({
    summary: 'List disputes',
    description: 'Sorted by due date of the ruling, earliest first.',
    input: {
      query: z.object({
        state: z.enum(['open', 'ruled', 'withdrawn', 'refunded', 'all']).default('open'),
        ...searchIn('reason', 'ruling', 'title', 'names', 'ids'),
        ...pageQuery(50, 100),
      }),
    },
    output: { data: z.array(listedDispute), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: { accepts: ['admin'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/disputes' },
    examples: [
      {
        title: 'Waiting for a ruling',
        data: [
          {
            ...exampleDispute,
            service_title: exampleOrder.service_title,
            price_usd: exampleOrder.quoted_price_usd,
            buyer_name: exampleOrder.client_name,
            provider_name: exampleOrder.provider_name,
            buyer_statements: 0,
            provider_statements: 1,
            overdue: false,
          },
        ],
      },
    ],
  }),

  rule: defineOperation({
    summary: 'Rule a dispute',
    description:
      'Ends the order. The money moves exactly once, as ruled. In a split, the marketplace takes its fee only on what is not refunded. Both sides can read the reason; the log of operators keeps it.',
    input: { path: orderPath, body: rulingBody },
    output: { data: disputeCase },
    errors: ['order_not_found', 'conflict_of_interest', 'illegal_transition', 'already_settled', 'payment_reverted', 'payment_contestable'],
    power: 'operate',
    access: { accepts: ['admin'], rule: 'An administrator who is neither buyer nor provider.' },
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/admin/orders/{id}/rule' },
    examples: [
      {
        title: 'A part back to the buyer',
        input: {
          id: exampleOrder.id,
          ruling: 'split',
          refund_usd: '60.00',
          reason: 'Two of five accounts are missing, though one of them was not in the export.',
        },
        data: {
          ...exampleCase,
          dispute: {
            ...exampleDispute,
            state: 'ruled',
            ruling: 'split',
            ruling_reason: 'Two of five accounts are missing, though one of them was not in the export.',
            refund_usd: '60.00',
            closed_at: '2026-11-17 10:00:00',
          },
          may_state: false,
          money: { ...exampleOrderView.money, state: 'split', held_usd: '0.00', released_usd: '108.00', refunded_usd: '60.00' },
        },
      },
    ],
  }),
};
