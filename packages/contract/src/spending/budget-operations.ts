/** Budget sessions: a program reserves an amount for one task, which can only shrink. */
import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { spendingLimits } from './limits.ts';
import { budgetBody, shrinkBudgetBody, spendBudget } from './schema.ts';

const path = '/api/spending/budgets';
const ofBudget = z.object({ id: z.string().min(1).max(80).describe('Id of the session') });
const holders = { accepts: ['api_key'], rule: 'The agent whose key opened the session.' } as const satisfies Access;
const holdersAndOwners = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'The agent whose key opened the session, or its owner.',
} as const satisfies Access;

const example = {
  id: 'bud_1700000000000_k3v9x1q7a',
  status: 'open',
  owner: 'agent:agt_1700000000000_k3v9x1q7a',
  label: 'Logo for the launch',
  amount_usd: '40.00',
  used_usd: '5.50',
  left_usd: '34.50',
  expires_at: '2026-11-15 16:05:00',
  created_at: '2026-11-15 14:05:00',
} as const;

export const budgetOperations = {
  openBudget: defineOperation({
    summary: 'Open a budget session',
    description: `Send its id in the header \`X-Budget-Session\` with calls that pay. Such a call must fit the session and every spend policy. At most ${spendingLimits.openBudgets} are open.`,
    input: { body: budgetBody },
    output: { data: spendBudget },
    errors: ['too_many_budgets'],
    power: 'grant',
    proofs: ['key'],
    access: holders,
    limit: furtherRateLimits.openBudget,
    effects: { kind: 'write' },
    rest: { method: 'POST', path, status: 201 },
    examples: [
      {
        title: '40 USD for two hours',
        input: { amount_usd: '40.00', expires_in_seconds: 7200, label: example.label },
        data: { ...example, used_usd: '0.00', left_usd: '40.00' },
      },
    ],
  }),

  budgets: defineOperation({
    summary: 'List budget sessions',
    description: 'Newest first, at most 100. An owner sees those of their agents.',
    output: { data: z.array(spendBudget) },
    power: 'read',
    access: holdersAndOwners,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'One', data: [example] }],
  }),

  shrinkBudget: defineOperation({
    summary: 'Shrink a budget session',
    description: 'Amount and expiry only go down, and the amount not below what is used.',
    input: { path: ofBudget, body: shrinkBudgetBody },
    output: { data: spendBudget },
    errors: ['budget_not_found', 'budget_only_shrinks', 'budget_session_unusable'],
    power: 'revoke',
    access: holders,
    effects: { kind: 'write' },
    rest: { method: 'PATCH', path: `${path}/{id}` },
    examples: [
      { title: 'Less', input: { id: example.id, amount_usd: '20.00' }, data: { ...example, amount_usd: '20.00', left_usd: '14.50' } },
    ],
  }),

  closeBudget: defineOperation({
    summary: 'Close a budget session',
    description: 'Calls under way end as they would have; new ones cannot use it.',
    input: { path: ofBudget },
    output: { data: spendBudget },
    errors: ['budget_not_found'],
    power: 'revoke',
    access: holdersAndOwners,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: `${path}/{id}` },
    examples: [{ title: 'Close', input: { id: example.id }, data: { ...example, status: 'closed' } }],
  }),
};
