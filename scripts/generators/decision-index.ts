/** The list of decision records, from their titles and status lines. */
import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Generator } from './generator.ts';
import { replaceSection } from './marked-section.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'docs/decisions';
const DOCUMENT = `${FOLDER}/README.md`;

export const decisionIndex: Generator = {
  name: 'decision index',
  render: async () => {
    const records = new Map<string, string>();
    for await (const file of glob(`${FOLDER}/[0-9]*.md`, { cwd: repository }))
      records.set(basename(file), await readFile(join(repository, file), 'utf8'));
    const document = await readFile(join(repository, DOCUMENT), 'utf8');
    return { [DOCUMENT]: replaceSection(document, 'decisions', renderDecisions(records)) };
  },
};

/** `records` maps file names to texts. */
export function renderDecisions(records: ReadonlyMap<string, string>): string {
  const decisions = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, text]) => readDecision(file, text));
  requireNamedChanges(decisions);
  const rows = decisions.map(({ file, number, title, status }) => `| [${number}](${file}) | ${title} | ${status} |`);
  return ['| | Decision | Status |', '|---|---|---|', ...rows].join('\n');
}

interface Decision {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  /** The status, on one line. */
  readonly status: string;
}

function readDecision(file: string, text: string): Decision {
  const { number, title, status } = /^# (?<number>\d{4}) (?<title>[^\n]+)\n\n\*\*Status\.\*\* (?<status>.+?)\n\n/s.exec(text)?.groups ?? {};
  if (number === undefined || title === undefined || status === undefined || !file.startsWith(`${number}-`))
    throw new Error(`${file} begins otherwise than "# ${file.slice(0, 4)} <the decision>", an empty line, "**Status.** …"`);
  return { file, number, title, status: status.replace(/\s+/g, ' ') };
}

/** Requires that the first lines of a record name the newer records that changed it. */
function requireNamedChanges(decisions: readonly Decision[]): void {
  const statuses = new Map(decisions.map(({ file, status }) => [file, status]));
  for (const { file, status } of decisions)
    for (const sentence of status.split(/(?<=[.;]) /).filter((part) => /^(?:Changes|Replaces) /.test(part)))
      for (const [, changed = ''] of sentence.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g))
        if (!statuses.get(changed)?.includes(`](${file})`))
          throw new Error(`The status of ${changed} does not name ${file}, which changes it.`);
}
