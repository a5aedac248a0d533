/** The table of features in ARCHITECTURE.md: what each is, by its README or index.ts, and what it imports. */
import { glob, readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listImports } from '../check-directions-source.ts';
import type { Generator } from './generator.ts';
import { replaceSection } from './marked-section.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const FEATURES = 'packages/server/src/features';
const DOCUMENT = 'ARCHITECTURE.md';

export const featureTable: Generator = {
  name: 'feature table',
  render: async () => {
    const sources = new Map<string, string>();
    for await (const file of glob(`${FEATURES}/*/**/*.{ts,md}`, { cwd: repository }))
      sources.set(file, await readFile(join(repository, file), 'utf8'));
    const document = await readFile(join(repository, DOCUMENT), 'utf8');
    return { [DOCUMENT]: replaceSection(document, 'features', renderFeatures(sources)) };
  },
};

/** Path → text of every file of the features. */
export function renderFeatures(sources: ReadonlyMap<string, string>): string {
  const names = [...new Set([...sources.keys()].map(featureOf))].sort();
  const rows = names.map((name) => {
    const uses = usesOf(name, sources).map((used) => `\`${used}\``);
    return `| \`${name}\` | ${summaryOf(name, sources)} | ${uses.join(', ') || '–'} |`;
  });
  return ['| Feature | What it is | Uses |', '|---|---|---|', ...rows].join('\n');
}

function featureOf(file: string): string {
  return file.slice(FEATURES.length + 1).split('/')[0] ?? '';
}

function usesOf(name: string, sources: ReadonlyMap<string, string>): string[] {
  const used = new Set<string>();
  for (const [file, source] of sources) {
    if (featureOf(file) !== name || !file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    for (const { specifier } of listImports(source)) {
      const target = posix.join(posix.dirname(file), specifier);
      if (specifier.startsWith('.') && target.startsWith(`${FEATURES}/`)) used.add(featureOf(target));
    }
  }
  used.delete(name);
  return [...used].sort();
}

/** The first sentence of the README, or of the comment that begins index.ts. */
function summaryOf(name: string, sources: ReadonlyMap<string, string>): string {
  const readme = sources.get(`${FEATURES}/${name}/README.md`)?.replace(/^#.*\n+/, '');
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(sources.get(`${FEATURES}/${name}/index.ts`) ?? '')?.[1]?.replace(/^\s*\*/gm, ' ');
  const text = (readme ?? comment ?? '').trim().split('\n\n')[0]?.replace(/\s+/g, ' ').trim() ?? '';
  const sentence = /^.*?\.(?= |$)/.exec(text)?.[0]?.slice(0, -1);
  if (sentence === undefined)
    throw new Error(`${basename(FEATURES)}/${name} says nowhere in a sentence what it is: begin its README with one`);
  return sentence.replaceAll('|', '\\|');
}
