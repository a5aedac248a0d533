/** Records of spending as callers see them. */
import {
  formatUsd,
  noSpendPolicy,
  type OperationAnswer,
  type Operations,
  type SpendDecision,
  type Spending,
  type SpendPolicy,
  type SpendSubject,
  toWireTime,
} from '@market/contract';
import type { ApprovalRow } from './approval-repository.ts';
import type { BudgetRow } from './budget-repository.ts';
import type { Names } from './names-repository.ts';
import type { PolicyRow } from './policy-repository.ts';
import { approveUrl } from './refusals.ts';
import type { SpendingRow } from './spending-repository.ts';
import { type MachineSubject, shownSubject } from './subjects.ts';

type Answers = Operations['spending'];
type WirePolicy = OperationAnswer<Answers['setPolicy']>['data'];
type WireVerdict = OperationAnswer<Answers['check']>['data'];
type WireApproval = OperationAnswer<Answers['decide']>['data'];
type WireBudget = OperationAnswer<Answers['openBudget']>['data'];
type WireRecord = OperationAnswer<Answers['recent']>['data'][number];

const orNull = (micros: bigint | null): string | null => (micros === null ? null : formatUsd(micros));

export interface NamedSubject extends SpendSubject {
  readonly name: string;
  /** The id of its policy if it differs: a connected program has one policy over all connections. */
  readonly policyId?: string;
  /** The creators that limit the agent. */
  readonly limitedBy?: WirePolicy['limited_by'];
}

export function storedSubject({ kind, id, policyId = id }: NamedSubject): SpendSubject {
  return { kind, id: policyId };
}

export function presentPolicy({ kind, id, name, limitedBy = [] }: NamedSubject, row: PolicyRow | undefined, dayMicros: bigint): WirePolicy {
  const policy: SpendPolicy = row ?? noSpendPolicy;
  const left = policy.perDayMicros === null ? null : policy.perDayMicros - dayMicros;
  return {
    kind,
    id,
    name,
    is_set: row !== undefined,
    per_order_usd: orNull(policy.perOrderMicros),
    per_day_usd: orNull(policy.perDayMicros),
    per_provider_day_usd: orNull(policy.perProviderDayMicros),
    per_category_day_usd: orNull(policy.perCategoryDayMicros),
    allow_agents: [...policy.allowAgents] as WirePolicy['allow_agents'],
    block_agents: [...policy.blockAgents] as WirePolicy['block_agents'],
    allow_categories: [...policy.allowCategories] as WirePolicy['allow_categories'],
    block_categories: [...policy.blockCategories] as WirePolicy['block_categories'],
    approve_above_usd: orNull(policy.approveAboveMicros),
    frozen: policy.frozen,
    spent_day_usd: formatUsd(dayMicros),
    left_day_usd: left === null ? null : formatUsd(left < 0n ? 0n : left),
    updated_at: row === undefined ? null : toWireTime(row.updatedAt),
    limited_by: [...limitedBy],
  };
}

export function presentVerdict(decision: SpendDecision, { amountMicros }: Spending, subjects: readonly MachineSubject[]): WireVerdict {
  const objection = decision.decision === 'allow' ? undefined : decision.objection;
  return {
    decision: decision.decision,
    rule: objection?.rule ?? null,
    sentence: objection?.sentence ?? 'Within all limits.',
    subject: shownSubject(objection?.subject ?? null, subjects),
    asked_usd: formatUsd(amountMicros),
    limit_usd: orNull(objection?.limitMicros ?? null),
    spent_usd: orNull(objection?.spentMicros ?? null),
    left_day_usd: orNull(decision.leftMicros),
  };
}

export function nameOfMachine(names: Names, { principal }: Pick<ApprovalRow, 'principal'>): string {
  return names.get(principal) ?? 'A connected program';
}

export function presentApproval(row: ApprovalRow, names: Names, appUrl: string): WireApproval {
  const isOver = row.isExpired && (row.status === 'waiting' || row.status === 'approved');
  return {
    id: row.id,
    status: isOver ? 'expired' : row.status,
    by: row.principal,
    by_name: nameOfMachine(names, row),
    operation: row.operation,
    amount_usd: formatUsd(row.amountMicros),
    provider_agent_id: row.providerAgentId,
    provider_name: row.providerAgentId === null ? null : (names.get(row.providerAgentId) ?? null),
    category: row.category as WireApproval['category'],
    order_id: row.about,
    title: row.about === null ? null : (names.get(row.about) ?? null),
    sentence: row.sentence,
    approve_url: approveUrl(appUrl, row.id),
    created_at: toWireTime(row.createdAt),
    expires_at: toWireTime(row.expiresAt),
    decided_at: row.decidedAt === null ? null : toWireTime(row.decidedAt),
  };
}

export function presentBudget(row: BudgetRow): WireBudget {
  const left = row.amountMicros - row.usedMicros;
  return {
    id: row.id,
    status: row.closedAt !== null ? 'closed' : row.isExpired ? 'expired' : 'open',
    owner: row.owner,
    label: row.label,
    amount_usd: formatUsd(row.amountMicros),
    used_usd: formatUsd(row.usedMicros),
    left_usd: formatUsd(left < 0n ? 0n : left),
    expires_at: toWireTime(row.expiresAt),
    created_at: toWireTime(row.createdAt),
  };
}

export function presentRecord(row: SpendingRow): WireRecord {
  return {
    id: row.id,
    outcome: row.status,
    by: row.principal,
    operation: row.operation,
    amount_usd: formatUsd(row.amountMicros),
    provider_agent_id: row.providerAgentId,
    category: row.category as WireRecord['category'],
    rule: row.rule as WireRecord['rule'],
    sentence: row.sentence,
    bought: row.boughtId,
    budget_id: row.budgetId,
    approval_id: row.approvalId,
    created_at: toWireTime(row.createdAt),
  };
}
