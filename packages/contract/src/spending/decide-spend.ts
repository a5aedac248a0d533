/** The decision about one payment of an agent or program. Pure: server, dry run and page call the same function. */
import { formatUsd } from '../kernel/money.ts';

export const spendSubjectKinds = ['agent', 'connection', 'account'] as const;
export type SpendSubjectKind = (typeof spendSubjectKinds)[number];

/** The subject that a policy limits. The id of an account is `user:<id>` or `wallet:<address>`. */
export interface SpendSubject {
  readonly kind: SpendSubjectKind;
  readonly id: string;
}

/** Null and empty lists set no limit. */
export interface SpendPolicy {
  readonly perOrderMicros: bigint | null;
  readonly perDayMicros: bigint | null;
  readonly perProviderDayMicros: bigint | null;
  readonly perCategoryDayMicros: bigint | null;
  readonly allowAgents: readonly string[];
  readonly blockAgents: readonly string[];
  readonly allowCategories: readonly string[];
  readonly blockCategories: readonly string[];
  readonly approveAboveMicros: bigint | null;
  readonly frozen: boolean;
}

export const noSpendPolicy: SpendPolicy = {
  perOrderMicros: null,
  perDayMicros: null,
  perProviderDayMicros: null,
  perCategoryDayMicros: null,
  allowAgents: [],
  blockAgents: [],
  allowCategories: [],
  blockCategories: [],
  approveAboveMicros: null,
  frozen: false,
};

/** Spending of the subject within the last 24 hours, payments under way included. */
export interface SpentToday {
  readonly dayMicros: bigint;
  /** The part of `dayMicros` to the same provider as the payment. */
  readonly providerDayMicros: bigint;
  /** The part of `dayMicros` in the same category as the payment. */
  readonly categoryDayMicros: bigint;
}

export interface HeldPolicy {
  readonly subject: SpendSubject;
  readonly policy: SpendPolicy;
  readonly spent: SpentToday;
}

/** A payment. Deposits and registrations have no provider and no category. */
export interface Spending {
  /** The whole amount that the buyer pays, fee included. Zero: the cost is not in USDC, so only a freeze stops it. */
  readonly amountMicros: bigint;
  readonly providerAgentId?: string | undefined;
  readonly category?: string | undefined;
}

/** A budget session that the call names. */
export interface HeldBudget {
  readonly amountMicros: bigint;
  /** Spent and reserved so far. */
  readonly usedMicros: bigint;
  readonly isOpen: boolean;
}

export const spendRules = [
  'frozen',
  'block_agents',
  'allow_agents',
  'block_categories',
  'allow_categories',
  'per_order',
  'per_day',
  'per_provider_day',
  'per_category_day',
  'budget_session',
  'approve_above',
] as const;
export type SpendRule = (typeof spendRules)[number];

export interface SpendObjection {
  readonly rule: SpendRule;
  /** The subject of the policy that refuses or asks; null for a budget session. */
  readonly subject: SpendSubject | null;
  readonly limitMicros: bigint | null;
  readonly spentMicros: bigint | null;
  readonly sentence: string;
}

export type SpendDecision =
  | { readonly decision: 'allow'; readonly leftMicros: bigint | null }
  | { readonly decision: 'refuse'; readonly objection: SpendObjection; readonly leftMicros: bigint | null }
  | { readonly decision: 'ask'; readonly objection: SpendObjection; readonly leftMicros: bigint | null };

export interface SpendQuestion {
  readonly policies: readonly HeldPolicy[];
  readonly spending: Spending;
  readonly budget?: HeldBudget | undefined;
  /** A person approved this payment. Approval lifts `approve_above` and no other rule. */
  readonly isApproved?: boolean;
}

/** Checks refusals before approvals: no person is asked about a payment that would be refused anyway. */
export function decideSpend({ policies, spending, budget, isApproved = false }: SpendQuestion): SpendDecision {
  const leftMicros = leftToday(policies, budget);
  const objections = policies.map((held) => objectionTo(held, spending));
  const refused = firstByRule([...objections, objectionOfBudget(budget, spending)]);
  if (refused !== undefined) return { decision: 'refuse', objection: refused, leftMicros };
  const asked = isApproved ? undefined : policies.map((held) => questionOf(held, spending)).find((one) => one !== undefined);
  return asked === undefined ? { decision: 'allow', leftMicros } : { decision: 'ask', objection: asked, leftMicros };
}

/** The smallest remainder of all daily limits and the budget session; null without limits. */
function leftToday(policies: readonly HeldPolicy[], budget: HeldBudget | undefined): bigint | null {
  const left = policies.flatMap(({ policy, spent }) => {
    if (policy.frozen) return [0n];
    return policy.perDayMicros === null ? [] : [policy.perDayMicros - spent.dayMicros];
  });
  if (budget !== undefined) left.push(budget.isOpen ? budget.amountMicros - budget.usedMicros : 0n);
  const [least] = left.sort((a, b) => (a < b ? -1 : 1));
  if (least === undefined) return null;
  return least < 0n ? 0n : least;
}

function firstByRule(objections: readonly (SpendObjection | undefined)[]): SpendObjection | undefined {
  const ranked = objections.filter((one) => one !== undefined);
  return ranked.sort((a, b) => spendRules.indexOf(a.rule) - spendRules.indexOf(b.rule))[0];
}

function objectionTo({ subject, policy, spent }: HeldPolicy, spending: Spending): SpendObjection | undefined {
  const { amountMicros: asked, providerAgentId: provider, category } = spending;
  const whose = wordsFor(subject);
  const refuse = (rule: SpendRule, sentence: string, limitMicros: bigint | null = null, spentMicros: bigint | null = null) => ({
    ...{ rule, subject, limitMicros, spentMicros, sentence },
  });
  if (policy.frozen) return refuse('frozen', `The owner froze the spending of ${whose}.`);
  if (provider !== undefined && policy.blockAgents.includes(provider))
    return refuse('block_agents', `The policy of ${whose} blocks the agent ${provider}.`);
  if (provider !== undefined && policy.allowAgents.length > 0 && !policy.allowAgents.includes(provider))
    return refuse('allow_agents', `The policy of ${whose} allows other agents than ${provider}.`);
  if (category !== undefined && policy.blockCategories.includes(category))
    return refuse('block_categories', `The policy of ${whose} blocks the category ${category}.`);
  if (category !== undefined && policy.allowCategories.length > 0 && !policy.allowCategories.includes(category))
    return refuse('allow_categories', `The policy of ${whose} allows other categories than ${category}.`);
  const { perOrderMicros: perOrder } = policy;
  if (perOrder !== null && asked > perOrder)
    return refuse('per_order', `${usd(asked)} is above the limit of ${usd(perOrder)} per order of ${whose}.`, perOrder, 0n);
  const days: readonly (readonly [SpendRule, string, bigint | null, bigint])[] = [
    ['per_day', 'per day', policy.perDayMicros, spent.dayMicros],
    ...(provider === undefined
      ? []
      : [['per_provider_day', 'per day and provider', policy.perProviderDayMicros, spent.providerDayMicros] as const]),
    ...(category === undefined
      ? []
      : [['per_category_day', 'per day and category', policy.perCategoryDayMicros, spent.categoryDayMicros] as const]),
  ];
  const passed = days.find(([, , limit, used]) => limit !== null && asked > 0n && used + asked > limit);
  if (passed === undefined) return undefined;
  const [rule, words, limit, used] = passed;
  const sentence = `The limit of ${whose} is ${usd(limit ?? 0n)} ${words}. ${usd(used)} was spent within 24 hours, and this call asks for ${usd(asked)}.`;
  return refuse(rule, sentence, limit, used);
}

function objectionOfBudget(budget: HeldBudget | undefined, { amountMicros: asked }: Spending): SpendObjection | undefined {
  if (budget === undefined || (budget.isOpen && budget.usedMicros + asked <= budget.amountMicros)) return undefined;
  const sentence = budget.isOpen
    ? `The budget session holds ${usd(budget.amountMicros)}. ${usd(budget.usedMicros)} is used, and this call asks for ${usd(asked)}.`
    : 'The budget session is over.';
  return { rule: 'budget_session', subject: null, limitMicros: budget.amountMicros, spentMicros: budget.usedMicros, sentence };
}

function questionOf({ subject, policy: { approveAboveMicros: bound } }: HeldPolicy, { amountMicros: asked }: Spending) {
  if (bound === null || asked <= bound) return undefined;
  const sentence = `Payments of ${wordsFor(subject)} above ${usd(bound)} need approval.`;
  return { rule: 'approve_above', subject, limitMicros: bound, spentMicros: null, sentence } as const satisfies SpendObjection;
}

function wordsFor({ kind, id }: SpendSubject): string {
  if (kind === 'account') return 'this account’s programs';
  return kind === 'agent' ? `the agent ${id}` : 'this connected program';
}

function usd(micros: bigint): string {
  return `${formatUsd(micros)} USD`;
}
