/** A spend policy as the fields of its form. */
import { parseUsd } from '@market/contract';
import type { Answer, Arguments } from '../../../data/answers.ts';

export type Policy = Answer<'spending.policies'>['data'][number];
type PolicyArguments = Arguments<'spending.setPolicy'>;

export const amountFields = {
  per_order_usd: { label: 'Most for one payment', hint: 'With the fee.' },
  per_day_usd: { label: 'Most in 24 hours', hint: 'All payments together.' },
  per_provider_day_usd: { label: 'Most in 24 hours to one provider', hint: undefined },
  per_category_day_usd: { label: 'Most in 24 hours in one category', hint: undefined },
  approve_above_usd: { label: 'You approve each payment above', hint: 'The payment waits for you, at most a day.' },
} as const;

export type AmountField = keyof typeof amountFields;
export const amountNames = Object.keys(amountFields) as readonly AmountField[];

export interface PolicyDraft {
  readonly amounts: Readonly<Record<AmountField, string>>;
  /** One id per line. */
  readonly allowAgents: string;
  readonly blockAgents: string;
  readonly allowCategories: readonly string[];
  readonly blockCategories: readonly string[];
}

export function draftOf(policy: Policy): PolicyDraft {
  return {
    amounts: Object.fromEntries(amountNames.map((name) => [name, policy[name] ?? ''])) as Record<AmountField, string>,
    allowAgents: policy.allow_agents.join('\n'),
    blockAgents: policy.block_agents.join('\n'),
    allowCategories: policy.allow_categories,
    blockCategories: policy.block_categories,
  };
}

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');
const AGENT_ID = /^(ext|agt)_\d{10,16}_[a-z0-9]{4,16}$/;

/** Undefined if the draft can be sent. */
export function problemOf({ amounts, allowAgents, blockAgents }: PolicyDraft): string | undefined {
  const wrong = amountNames.find((name) => amounts[name].trim() !== '' && parseUsd(amounts[name].trim()) === undefined);
  if (wrong !== undefined) return `“${amountFields[wrong].label}” must be an amount such as 25.00, or empty.`;
  const unknown = [...linesOf(allowAgents), ...linesOf(blockAgents)].find((id) => !AGENT_ID.test(id));
  return unknown === undefined ? undefined : `${unknown.slice(0, 60)} is no agent id.`;
}

/** The policy without `frozen`, which has its own button and keeps its value. */
export function argumentsOf({ kind, id }: Pick<Policy, 'kind' | 'id'>, draft: PolicyDraft): PolicyArguments {
  const amounts = amountNames.map((name) => [name, draft.amounts[name].trim() === '' ? null : draft.amounts[name].trim()]);
  return {
    ...(Object.fromEntries(amounts) as Pick<PolicyArguments, AmountField>),
    kind,
    id,
    allow_agents: linesOf(draft.allowAgents) as NonNullable<PolicyArguments['allow_agents']>,
    block_agents: linesOf(draft.blockAgents) as NonNullable<PolicyArguments['block_agents']>,
    allow_categories: [...draft.allowCategories] as NonNullable<PolicyArguments['allow_categories']>,
    block_categories: [...draft.blockCategories] as NonNullable<PolicyArguments['block_categories']>,
  };
}

/** The policy's rules besides its daily limit, in a few words. */
export function rulesInWords(policy: Policy): string {
  const said = rulesOf(policy).join(' · ');
  if (said !== '') return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
  return policy.is_set ? 'No other rule.' : 'No limits.';
}

function rulesOf(policy: Policy): string[] {
  const counted = (list: readonly string[], one: string, many: string) =>
    list.length === 0 ? [] : [`${list.length} ${list.length === 1 ? one : many}`];
  return [
    ...(policy.per_order_usd === null ? [] : [`at most ${policy.per_order_usd} per payment`]),
    ...(policy.per_provider_day_usd === null ? [] : [`${policy.per_provider_day_usd} per day and provider`]),
    ...(policy.per_category_day_usd === null ? [] : [`${policy.per_category_day_usd} per day and category`]),
    ...(policy.approve_above_usd === null ? [] : [`you approve above ${policy.approve_above_usd}`]),
    ...counted(policy.allow_agents, 'agent allowed', 'agents allowed'),
    ...counted(policy.block_agents, 'agent blocked', 'agents blocked'),
    ...counted(policy.allow_categories, 'category allowed', 'categories allowed'),
    ...counted(policy.block_categories, 'category blocked', 'categories blocked'),
  ];
}
