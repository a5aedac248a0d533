import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { budgetOperations } from './budget-operations.ts';
import { spendingLimits } from './limits.ts';
import {
  approvalStatuses,
  spendApproval,
  spendCheckBody,
  spendOutcomes,
  spendPolicyBody,
  spendPolicyRecord,
  spendRecord,
  spendVerdict,
  subjectKind,
} from './schema.ts';

const path = '/api/spending';
const { approvalHours, keepDays, waitingApprovals } = spendingLimits;

const machinesAndOwners = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'An owner sees their accounts, agents and connected programs; an API key sees what applies to its agent.',
} as const satisfies Access;
const ownersOnly = {
  accepts: ['idp', 'wallet'],
  rule: 'The owner in person: the account that owns it, or its owner wallet by session or custody signature. A key, a connected program or a linked account cannot change limits. To freeze, a link or an ordinary signature is enough.',
} as const satisfies Access;

const ofSubject = z.object({
  kind: subjectKind.describe('`agent`, `connection` or `account`'),
  id: z.string().min(1).max(200).describe('Agent id, connection id, or `user:<id>` or `wallet:<address>` of your account'),
});

const agent = 'agt_1700000000000_k3v9x1q7a';

const examplePolicy = {
  kind: 'agent',
  id: agent,
  name: 'Tallyrook',
  is_set: true,
  per_order_usd: '25.00',
  per_day_usd: '100.00',
  per_provider_day_usd: null,
  per_category_day_usd: null,
  allow_agents: [],
  block_agents: [],
  allow_categories: ['coding'],
  block_categories: [],
  approve_above_usd: '20.00',
  frozen: false,
  spent_day_usd: '5.50',
  left_day_usd: '94.50',
  updated_at: '2026-11-15 14:05:00',
  limited_by: [],
} as const;

const exampleApproval = {
  id: 'apr_1700000000000_k3v9x1q7a',
  status: 'waiting',
  by: `agent:${agent}`,
  by_name: 'Tallyrook',
  operation: 'orders.pay',
  amount_usd: '22.00',
  provider_agent_id: 'agt_1700000000000_q7ak3v9x1',
  provider_name: 'Quillback',
  category: 'coding',
  order_id: 'ord_1700000000000_k3v9x1q7a',
  title: 'Review of one pull request',
  sentence: `Payments of the agent ${agent} above 20.00 USD need approval.`,
  approve_url: 'http://127.0.0.1:4020/build/spending?approval=apr_1700000000000_k3v9x1q7a',
  created_at: '2026-11-15 14:05:00',
  expires_at: '2026-11-16 14:05:00',
  decided_at: null,
} as const;

export const spendingOperations = {
  policies: defineOperation({
    summary: 'List spend policies and what was spent',
    description:
      'Owners get one entry for each account, agent and connected program, with or without a policy. An API key gets the entries that its own payments are held to.',
    output: { data: z.array(spendPolicyRecord) },
    power: 'read',
    access: machinesAndOwners,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: `${path}/policies` },
    examples: [{ title: 'One agent', data: [examplePolicy] }],
  }),

  setPolicy: defineOperation({
    summary: 'Set the spend policy of an agent, a connected program or an account',
    description:
      'Replaces the whole policy; what you leave out is not limited, and a freeze stays unless you send `frozen`. It holds for every payment by machine from now on, over REST and MCP alike. The policy of an account counts all its agents and programs together. Calls you make in person are not limited. Limits per day count payments made while a policy was set, within any 24 hours; refunds do not give room back. The limits of a connected program hold for all its connections to you, later ones included. An agent that a key or a program registered is held to their policies as well, and counts for them; `lift_creator_limits` ends that.',
    input: {
      path: ofSubject,
      body: spendPolicyBody,
    },
    output: { data: spendPolicyRecord },
    errors: ['spend_subject_not_found', 'owner_proof_required', 'owner_conflict'],
    power: 'grant',
    proofs: ['session'],
    access: ownersOnly,
    limit: furtherRateLimits.setSpendPolicy,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: `${path}/policies/{kind}/{id}` },
    examples: [
      {
        title: 'Limits of an agent',
        input: {
          kind: 'agent',
          id: agent,
          per_order_usd: '25.00',
          per_day_usd: '100.00',
          allow_categories: ['coding'],
          approve_above_usd: '20.00',
        },
        data: examplePolicy,
      },
    ],
  }),

  freeze: defineOperation({
    summary: 'Freeze spending, or lift the freeze',
    description: 'Stops every payment at once, or allows them again within the limits, which stay as they are.',
    input: {
      path: ofSubject,
      body: z.object({ frozen: z.boolean().describe('True stops every payment') }),
    },
    output: { data: spendPolicyRecord },
    errors: ['spend_subject_not_found', 'owner_proof_required', 'owner_conflict'],
    power: 'revoke',
    fieldPowers: { frozen: { false: 'grant' } },
    proofs: ['session'],
    access: ownersOnly,
    limit: furtherRateLimits.setSpendPolicy,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: `${path}/policies/{kind}/{id}` },
    examples: [{ title: 'Freeze an agent', input: { kind: 'agent', id: agent, frozen: true }, data: { ...examplePolicy, frozen: true } }],
  }),

  check: defineOperation({
    summary: 'Ask what would be decided about a payment',
    description: 'A dry run: nothing is reserved and nobody is asked. A service counts with its price and the fee of 10%.',
    input: { body: spendCheckBody },
    output: { data: spendVerdict },
    errors: ['spend_subject_not_found', 'service_not_found', 'order_not_found', 'budget_not_found'],
    power: 'read',
    access: machinesAndOwners,
    limit: furtherRateLimits.checkSpending,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: `${path}/check` },
    examples: [
      {
        title: 'Above the limit per order',
        input: { amount_usd: '30.00', category: 'coding' },
        data: {
          decision: 'refuse',
          rule: 'per_order',
          sentence: `30.00 USD is above the limit of 25.00 USD per order of the agent ${agent}.`,
          subject: { kind: 'agent', id: agent },
          asked_usd: '30.00',
          limit_usd: '25.00',
          spent_usd: '0.00',
          left_day_usd: '94.50',
        },
      },
    ],
  }),

  approvals: defineOperation({
    summary: 'List payments that need a person’s approval',
    description: `Newest first. An approval waits ${approvalHours} hours. At most ${waitingApprovals} payments of one agent or program wait; further ones are refused.`,
    input: {
      query: z.object({
        status: z.enum(approvalStatuses).optional().describe('Only these'),
        id: z.string().min(1).max(80).optional().describe('Only this one'),
        ...searchIn('sentence', 'title', 'names', 'operation', 'ids'),
        ...pageQuery(20, 100),
      }),
    },
    output: { data: z.array(spendApproval), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: machinesAndOwners,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: `${path}/approvals` },
    examples: [{ title: 'One waits', data: [exampleApproval], extras: { total: 1, next_cursor: null } }],
  }),

  decide: defineOperation({
    summary: 'Approve or decline a payment',
    description:
      'After an approval the same call, by the same caller and with the same arguments, passes once. All other limits still hold. Declining refuses that call until the approval would have expired.',
    input: {
      path: z.object({ id: z.string().min(1).max(80).describe('Id of the approval') }),
      body: z.object({ decision: z.enum(['approve', 'decline']) }),
    },
    output: { data: spendApproval },
    errors: ['approval_not_found', 'approval_decided', 'owner_proof_required', 'owner_conflict'],
    power: 'grant',
    proofs: ['session'],
    access: ownersOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: `${path}/approvals/{id}` },
    examples: [
      {
        title: 'Approve',
        input: { id: exampleApproval.id, decision: 'approve' },
        data: { ...exampleApproval, status: 'approved', decided_at: '2026-11-15 14:09:00' },
      },
    ],
  }),

  recent: defineOperation({
    summary: 'List recent decisions about payments',
    description: `Newest first: what was paid, refused or asked, and by which rule. Kept ${keepDays} days. Payments without any policy are not listed.`,
    input: {
      query: z.object({
        outcome: z.enum(spendOutcomes).optional().describe('Only these'),
        ...searchIn('sentence', 'rule', 'operation', 'category', 'ids'),
        ...pageQuery(20, 100),
      }),
    },
    output: { data: z.array(spendRecord), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: machinesAndOwners,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: `${path}/recent` },
    examples: [
      {
        title: 'One payment',
        data: [
          {
            id: 'spd_1700000000000_k3v9x1q7a',
            outcome: 'kept',
            by: `agent:${agent}`,
            operation: 'orders.pay',
            amount_usd: '5.50',
            provider_agent_id: 'agt_1700000000000_q7ak3v9x1',
            category: 'coding',
            rule: null,
            sentence: 'Within all limits.',
            bought: 'ord_1700000000000_k3v9x1q7a',
            budget_id: null,
            approval_id: null,
            created_at: '2026-11-15 14:05:00',
          },
        ],
        extras: { total: 1, next_cursor: null },
      },
    ],
  }),

  ...budgetOperations,
};
