/** Finds the tests that cite rows of the specification, by the titles in their source. */
import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { SpecificationTable } from './rows.ts';

/** All files of `test/`, because data rows that become tests stand in files without the ending `.test.ts`. */
const FILES = ['packages/*/src/**/*.test.ts', 'test/**/*.ts'];
/** A string literal that begins with ids: quote, ids, the rest of the title. */
const CITATION = /(['"`])([A-Z]\d{2}(?:, [A-Z]\d{2})*): ((?:(?!\1)[^\\\n]|\\.)*)/g;
/** The test case of a tool cites the tool by name. */
const TOOL_CASE = /\btool: '(\w+)'/g;
const TOOL_CASES = 'test/mcp/tool-cases.ts';

export interface Citation {
  readonly id: string;
  readonly file: string;
  /** The title without its ids. */
  readonly title: string;
}

export async function readCitations(root: string): Promise<Citation[]> {
  const files: string[] = [];
  for await (const file of glob(FILES, { cwd: root })) files.push(file.split(sep).join('/'));
  const found = await Promise.all(files.sort().map(async (file) => citationsIn(file, await readFile(join(root, file), 'utf8'))));
  return found.flat();
}

export function citationsIn(file: string, source: string): Citation[] {
  const cited = [...source.matchAll(CITATION)].flatMap(([, , ids = '', title = '']) =>
    ids.split(', ').map((id) => ({ id, file, title: title.replace(/\\(['"`\\])/g, '$1') })),
  );
  const cases = file === TOOL_CASES ? [...source.matchAll(TOOL_CASE)].map(([title, id = '']) => ({ id, file, title })) : [];
  return [...cited, ...cases];
}

/** Finds rows without citations, duplicate ids, and citations of unknown ids. `foreign`: ids of another table. */
export function problemsOf(tables: readonly SpecificationTable[], citations: readonly Citation[], foreign: ReadonlySet<string>): string[] {
  const cited = new Set(citations.map(({ id }) => id));
  const texts = Map.groupBy(
    tables.flatMap(({ title, rows }) => rows.map((row) => ({ ...row, title }))),
    ({ id }) => id,
  );
  const problems: string[] = [];
  for (const [id, [first]] of texts) {
    if (!cited.has(id)) problems.push(`${first?.title}, ${id} (${first?.row}): no test cites it`);
    if (foreign.has(id)) problems.push(`${first?.title}, ${id}: the threat table has this id, too`);
  }
  for (const { title, rows } of tables) {
    // One test may take all rows of a table; otherwise each id names one row.
    const ids = new Set(rows.map(({ id }) => id));
    if (ids.size > 1 && ids.size < rows.length) problems.push(`${title}: an id stands twice`);
  }
  for (const { id, file, title } of citations)
    if (!texts.has(id) && !foreign.has(id))
      problems.push(`${file} cites ${id}, which no row of the specification or of the threats has: ${title}`);
  return problems;
}
