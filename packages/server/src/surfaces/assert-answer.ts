/** Throws for an answer that breaks its own schema, which is our bug. Used in development and tests. */
import type { NamedOperation } from '@market/contract';
import type { z } from 'zod';
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';

export function assertAnswer(operation: NamedOperation, answer: StoredAnswer): void {
  const { data, extras } = operation.spec.output;
  const { data: answered, ...rest } = answer;
  const problems = [data.safeParse(answered), extras?.strict().safeParse(rest)].flatMap((result) => result?.error?.issues ?? []);
  if (problems.length > 0) throw new Error(`the answer of ${operation.name} breaks its contract: ${describe(problems)}`);
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}
