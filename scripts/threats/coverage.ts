/** Finds the tests that name rows of the threat table, and problems in their titles. */
import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TEST_FILES } from '../testing/test-files.ts';
import { listTests, type TitledTest } from './test-titles.ts';
import type { Threat } from './threat-table.ts';

/** The part of a title that names rows: `M29: …` or `C09, C13: …`. */
const IDS = /^([A-Z]\d{2}(?:, [A-Z]\d{2})*): \S/;
/** A title that begins like a row id. In another form than `IDS` it is a mistake that would hide the test from the page. */
const LOOKS_LIKE_IDS = /^[A-Z]\d{2}\b/;

/** A test, or a suite with the number of its tests. */
export interface Defence {
  readonly file: string;
  /** The title, after the titles of the suites around it. */
  readonly title: string;
  readonly tests: number;
}

export interface Coverage {
  /** Defences of each row, in the order of files and lines. */
  readonly defences: ReadonlyMap<string, readonly Defence[]>;
  readonly problems: readonly string[];
}

export async function readTests(root: string): Promise<TitledTest[]> {
  const files: string[] = [];
  for await (const file of glob(TEST_FILES, { cwd: root })) files.push(file.split(sep).join('/'));
  const found = await Promise.all(files.sort().map(async (file) => listTests(file, await readFile(join(root, file), 'utf8'))));
  return found.flat();
}

function idsOf(title: string): readonly string[] {
  return IDS.exec(title)?.[1]?.split(', ') ?? [];
}

export function coverageOf(
  threats: Readonly<Record<string, Threat>>,
  tests: readonly TitledTest[],
  notYetDefended: readonly string[],
  /** Ids of the specification's rows, which titles cite in the same form. */
  foreign: ReadonlySet<string> = new Set(),
): Coverage {
  const defences = new Map<string, Defence[]>();
  const problems = new Set<string>();
  for (const { file, line, title, suites } of tests) {
    const path = [...suites, title];
    for (const [depth, named] of path.entries()) {
      const cited = idsOf(named);
      const ids = cited.filter((id) => !foreign.has(id));
      if (cited.length === 0 && LOOKS_LIKE_IDS.test(named)) {
        problems.add(`${file}:${line} begins like a row id; write ids and a colon, 'M29: …' or 'C09, C13: …': ${named}`);
      }
      for (const id of ids) {
        const threat = threats[id];
        if (threat === undefined) problems.add(`${file}:${line} names ${id}, which the threat table does not have: ${named}`);
        else if (threat.status !== 'built') problems.add(`${file}:${line} names ${id}; set its status in the threat table to built`);
        addDefence(
          defences,
          id,
          file,
          path
            .slice(0, depth + 1)
            .filter(Boolean)
            .join(' › '),
        );
      }
    }
  }
  for (const [id, { status, attack }] of Object.entries(threats)) {
    const expected = status === 'built' && !notYetDefended.includes(id);
    if (expected && !defences.has(id)) problems.add(`${id} has no test that names it: ${attack}`);
  }
  for (const id of notYetDefended) {
    if (threats[id]?.status !== 'built') problems.add(`${id} is listed in rowsNotYetDefended but is no built row`);
    if (defences.has(id)) problems.add(`${id} has a test: take it out of rowsNotYetDefended`);
  }
  return { defences, problems: [...problems] };
}

function addDefence(defences: Map<string, Defence[]>, id: string, file: string, title: string): void {
  const known = defences.get(id) ?? [];
  const same = known.findIndex((defence) => defence.file === file && defence.title === title);
  if (same < 0) known.push({ file, title, tests: 1 });
  else known[same] = { file, title, tests: (known[same]?.tests ?? 0) + 1 };
  defences.set(id, known);
}
