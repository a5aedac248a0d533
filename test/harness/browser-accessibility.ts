/** Axe over a page as it stands: what it calls serious or critical fails the test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function requireAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  const problems = await findAccessibilityProblems(page, rules);
  assert.deepEqual(problems, [], `axe on ${new URL(page.url()).pathname}`);
}

/** One line per serious or critical violation, with where it is. */
export async function findAccessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules !== undefined && { runOnly: rules }) };
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(source);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => {
      const places = nodes.slice(0, 3).map(({ target, any }) => `${target.join(' ')} (${any[0]?.message ?? 'see the rule'})`);
      return `${id}: ${help}: ${places.join('; ')}${nodes.length > 3 ? `; ${nodes.length - 3} more` : ''}`;
    });
}
