/** Collects the operations behind a page. Its API calls run in its async context, so no list of them can be incomplete. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { NamedOperation } from '@market/contract';
import type { VersionedTable } from '../../platform/versions/data-versions.ts';
import { type ReadyRule, readyRuleOf } from './ready-operations.ts';

interface PageParts {
  readonly operations: Set<NamedOperation>;
  /** False after a failed call: the next page may be better. */
  isWhole: boolean;
}

const current = new AsyncLocalStorage<PageParts>();

/** A page shows the market's time, at which its countdowns start. */
const PAGE_MAX_AGE = { ms: 1_000, why: 'a page shows the time' };

/** Runs `make` and returns its result with the rule for keeping it; no rule if it must not be kept. */
export async function collectParts<T>(make: () => Promise<T>): Promise<{ readonly made: T; readonly rule: ReadyRule | undefined }> {
  const parts: PageParts = { operations: new Set(), isWhole: true };
  const made = await current.run(parts, make);
  return { made, rule: parts.isWhole ? ruleOf(parts.operations) : undefined };
}

export function notePart(operation: NamedOperation): void {
  current.getStore()?.operations.add(operation);
}

export function noteFailedPart(): void {
  const parts = current.getStore();
  if (parts !== undefined) parts.isWhole = false;
}

function ruleOf(operations: ReadonlySet<NamedOperation>): ReadyRule | undefined {
  const tables = new Set<VersionedTable>();
  for (const operation of operations) {
    const rule = readyRuleOf(operation);
    if (rule === undefined) return undefined;
    for (const table of rule.tables) tables.add(table);
  }
  return { tables: [...tables], maxAge: PAGE_MAX_AGE };
}
