/** Axe over a page in its present state: serious and critical violations fail the test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { isThorough } from './thoroughness.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Leaves out rules whose violations are at most moderate, because nobody reads their findings. */
const OPTIONS = `{ resultTypes: ['violations'], rules: Object.fromEntries(
  axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate').map(({ id }) => [id, { enabled: false }])) }`;

/** An everyday run checks a page only if it has kinds of elements that this process has not checked yet. */
export async function requireAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  const kinds = isThorough || rules !== undefined ? [] : await readKinds(page);
  if (kinds.length > 0 && kinds.every((kind) => checked.has(kind))) return;
  const problems = await findAccessibilityProblems(page, rules);
  assert.deepEqual(problems, [], `axe on ${new URL(page.url()).pathname}`);
  for (const kind of kinds) checked.add(kind);
}

const checked = new Set<string>();

/** The kind of an element: tag, classes and names of attributes, within the theme. */
async function readKinds(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const ground = getComputedStyle(document.body).backgroundColor;
    const describe = (element) => element.tagName + ' ' + element.getAttribute('class');
    return [...new Set([...document.querySelectorAll('body *')].map((element) =>
      [ground, describe(element.parentElement), describe(element), ...element.getAttributeNames().sort()].join('|')))];
  })()`);
}

/** One line per serious or critical violation, with its element. */
export async function findAccessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules === undefined ? OPTIONS : JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(source);
  const violations = await page.evaluate<AxeResults['violations']>(`axe.run(${options}).then(({ violations }) => violations)`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => {
      const places = nodes.slice(0, 3).map(({ target, any }) => `${target.join(' ')} (${any[0]?.message ?? 'see the rule'})`);
      return `${id}: ${help}: ${places.join('; ')}${nodes.length > 3 ? `; ${nodes.length - 3} more` : ''}`;
    });
}
