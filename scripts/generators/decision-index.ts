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

/** File name → text of every record. */
export function renderDecisions(records: ReadonlyMap<string, string>): string {
  const rows = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, text]) => renderRow(file, text));
  return ['| | Decision | Status |', '|---|---|---|', ...rows].join('\n');
}

function renderRow(file: string, text: string): string {
  const { number, title, status } = /^# (?<number>\d{4}) (?<title>[^\n]+)\n\n\*\*Status\.\*\* (?<status>.+?)\n\n/s.exec(text)?.groups ?? {};
  if (title === undefined || status === undefined || !file.startsWith(`${number}-`))
    throw new Error(`${file} begins otherwise than "# ${file.slice(0, 4)} <the decision>", an empty line, "**Status.** …"`);
  return `| [${number}](${file}) | ${title} | ${status.replace(/\s+/g, ' ')} |`;
}
