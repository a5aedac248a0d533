import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { agentId, budgetId, spendApprovalId, spendingId } from '../kernel/ids.ts';
import { line, usdAmount, usdInput, wireTime } from '../kernel/wire.ts';
import { spendRules, spendSubjectKinds } from './decide-spend.ts';
import { spendingLimits } from './limits.ts';

const { listedAgents, leastBudgetSeconds, mostBudgetSeconds } = spendingLimits;

export const subjectKind = z.enum(spendSubjectKinds);
const limitOf = (name: string) => usdInput(name).nullish();
const agentsOf = (what: string) => z.array(agentId).max(listedAgents, `At most ${listedAgents} agents.`).default([]).describe(what);
const categoriesOf = (what: string) => z.array(category).default([]).describe(what);

/** A policy replaces the previous one: a missing limit is none. Only `frozen` stays, so that an older form does not lift a freeze. */
export const spendPolicyBody = z.object({
  per_order_usd: limitOf('per_order_usd').describe('Most for one payment, fee included'),
  per_day_usd: limitOf('per_day_usd').describe('Most within any 24 hours'),
  per_provider_day_usd: limitOf('per_provider_day_usd').describe('Most within any 24 hours to one provider'),
  per_category_day_usd: limitOf('per_category_day_usd').describe('Most within any 24 hours in one category'),
  allow_agents: agentsOf('If not empty, only these agents may be hired'),
  block_agents: agentsOf('These agents may not be hired'),
  allow_categories: categoriesOf('If not empty, only services of these categories may be hired'),
  block_categories: categoriesOf('Services of these categories may not be hired'),
  approve_above_usd: limitOf('approve_above_usd').describe('The owner approves each payment above this amount'),
  frozen: z.boolean().optional().describe('True stops every payment, false lifts a freeze. Left out, a freeze stays as it is'),
  lift_creator_limits: z
    .literal(true)
    .optional()
    .describe('Agents only: what registered this agent limits it no longer. Counts where you own that, too'),
});

const shownLimit = usdAmount.nullable();

export const spendPolicyRecord = z
  .object({
    kind: subjectKind,
    id: z.string().describe('Agent id, connection id, or `user:<id>` or `wallet:<address>` of an account'),
    name: z.string().describe('Name of the agent or program'),
    is_set: z.boolean().describe('False: no policy, so nothing is limited'),
    per_order_usd: shownLimit,
    per_day_usd: shownLimit,
    per_provider_day_usd: shownLimit,
    per_category_day_usd: shownLimit,
    allow_agents: z.array(agentId),
    block_agents: z.array(agentId),
    allow_categories: z.array(category),
    block_categories: z.array(category),
    approve_above_usd: shownLimit,
    frozen: z.boolean(),
    spent_day_usd: usdAmount.describe('Counted within the last 24 hours, payments under way included'),
    left_day_usd: usdAmount.nullable().describe('What `per_day_usd` still allows'),
    updated_at: wireTime.nullable(),
    limited_by: z
      .array(z.object({ kind: subjectKind, id: z.string(), name: z.string() }))
      .describe('What registered this agent: its limits hold for this agent, too'),
  })
  .meta({ id: 'SpendPolicy' });

export const spendCheckBody = z
  .object({
    kind: z.enum(['agent', 'connection']).optional().describe('Who would pay; an agent’s key asks for itself'),
    id: z.string().min(1).max(200).optional().describe('Its id'),
    service_id: z.string().min(1).max(80).optional().describe('Service that would be hired by machine'),
    order_id: z.string().min(1).max(80).optional().describe('Order that would be paid'),
    amount_usd: usdInput('amount_usd', { above: 0n }).optional().describe('Amount of another payment'),
    provider_agent_id: agentId.optional().describe('Its provider'),
    category: category.optional().describe('Its category'),
    budget_id: z.string().min(1).max(80).optional().describe('Budget session that the call would name'),
  })
  .refine(
    ({ service_id, order_id, amount_usd }) => [service_id, order_id, amount_usd].filter((one) => one !== undefined).length === 1,
    'Send one of service_id, order_id and amount_usd.',
  )
  .refine(({ kind, id }) => (kind === undefined) === (id === undefined), 'Send kind and id together.');

export const spendVerdict = z
  .object({
    decision: z.enum(['allow', 'refuse', 'ask']),
    rule: z.enum(spendRules).nullable().describe('The rule that decided; null for allow'),
    sentence: z.string().describe('Why, in words'),
    subject: z.object({ kind: subjectKind, id: z.string() }).nullable().describe('Whose policy decided'),
    asked_usd: usdAmount,
    limit_usd: usdAmount.nullable(),
    spent_usd: usdAmount.nullable(),
    left_day_usd: usdAmount.nullable().describe('The least that any limit per day or session leaves now'),
  })
  .meta({ id: 'SpendVerdict' });

export const approvalStatuses = ['waiting', 'approved', 'declined', 'used', 'expired'] as const;

export const spendApproval = z
  .object({
    id: spendApprovalId,
    status: z.enum(approvalStatuses).describe('`used`: the approved call was paid'),
    by: z.string().describe('Who wants to pay: `agent:<id>` or `connection:<id>`'),
    by_name: z.string(),
    operation: z.string(),
    amount_usd: usdAmount,
    provider_agent_id: agentId.nullable(),
    provider_name: z.string().nullable(),
    category: category.nullable(),
    order_id: z.string().nullable().describe('The order or service it is about'),
    title: z.string().nullable().describe('Title of that order or service'),
    sentence: z.string(),
    approve_url: z.string().describe('Page with the buttons'),
    created_at: wireTime,
    expires_at: wireTime,
    decided_at: wireTime.nullable(),
  })
  .meta({ id: 'SpendApproval' });

export const budgetBody = z.object({
  amount_usd: usdInput('amount_usd', { above: 0n }).describe('Most that calls of this session pay together'),
  expires_in_seconds: z.int().min(leastBudgetSeconds).max(mostBudgetSeconds).describe('Lifetime from now'),
  label: line(1, 80, 'label').optional().describe('Your name for it'),
});

export const shrinkBudgetBody = z
  .object({
    amount_usd: usdInput('amount_usd', { above: 0n }).optional().describe('Not below what is used'),
    expires_in_seconds: z.int().min(0).max(mostBudgetSeconds).optional().describe('Lifetime from now'),
  })
  .refine(
    (body) => body.amount_usd !== undefined || body.expires_in_seconds !== undefined,
    'Send amount_usd, expires_in_seconds, or both.',
  );

export const spendBudget = z
  .object({
    id: budgetId,
    status: z.enum(['open', 'closed', 'expired']),
    owner: z.string().describe('`agent:<id>` or `connection:<id>`: only its calls can use the session'),
    label: z.string().nullable(),
    amount_usd: usdAmount,
    used_usd: usdAmount.describe('Paid, and reserved for calls under way'),
    left_usd: usdAmount,
    expires_at: wireTime,
    created_at: wireTime,
  })
  .meta({ id: 'SpendBudget' });

export const spendOutcomes = ['reserved', 'kept', 'released', 'refused', 'asked'] as const;

export const spendRecord = z
  .object({
    id: spendingId,
    outcome: z.enum(spendOutcomes).describe('`kept`: paid · `reserved`: under way · `released`: came to nothing'),
    by: z.string().describe('`agent:<id>` or `connection:<id>`'),
    operation: z.string(),
    amount_usd: usdAmount,
    provider_agent_id: agentId.nullable(),
    category: category.nullable(),
    rule: z.enum(spendRules).nullable(),
    sentence: z.string(),
    bought: z.string().nullable().describe('Id of the order, deposit, agent or movement'),
    budget_id: budgetId.nullable(),
    approval_id: spendApprovalId.nullable(),
    created_at: wireTime,
  })
  .meta({ id: 'SpendRecord' });
