/** The table of features in ARCHITECTURE.md: the description from README or index.ts, and the imports, of each feature. */
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

/** `sources` maps paths of all feature files to texts. A folder of a feature with an `index.ts` is a room with its own row. */
export function renderFeatures(sources: ReadonlyMap<string, string>): string {
  const features = [...new Set([...sources.keys()].map(featureOf))].sort();
  const rows = features.flatMap((feature) => {
    const uses = usesOf(feature, sources).map((used) => `\`${used}\``);
    const rooms = roomsOf(feature, sources).map((room) => `| · \`${room}\` | ${summaryOf(`${feature}/${room}`, sources)} | |`);
    return [`| \`${feature}\` | ${summaryOf(feature, sources)} | ${uses.join(', ') || '–'} |`, ...rooms];
  });
  return ['| Feature, and its rooms | What it is | Uses |', '|---|---|---|', ...rows].join('\n');
}

function featureOf(file: string): string {
  return file.slice(FEATURES.length + 1).split('/')[0] ?? '';
}

function roomsOf(feature: string, sources: ReadonlyMap<string, string>): string[] {
  const inside = [...sources.keys()]
    .filter((file) => featureOf(file) === feature)
    .map((file) => file.slice(FEATURES.length + feature.length + 2));
  return inside.flatMap((file) => /^([^/]+)\/index\.ts$/.exec(file)?.[1] ?? []).sort();
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

/** The first sentence of the README, or of the first comment of index.ts. */
function summaryOf(name: string, sources: ReadonlyMap<string, string>): string {
  const readme = sources.get(`${FEATURES}/${name}/README.md`)?.replace(/^#.*\n+/, '');
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(sources.get(`${FEATURES}/${name}/index.ts`) ?? '')?.[1]?.replace(/^\s*\*/gm, ' ');
  const text = (readme ?? comment ?? '').trim().split('\n\n')[0]?.replace(/\s+/g, ' ').trim() ?? '';
  const sentence = /^.*?\.(?= |$)/.exec(text)?.[0]?.slice(0, -1);
  if (sentence === undefined)
    throw new Error(`${basename(FEATURES)}/${name} says nowhere in a sentence what it is: begin its README with one`);
  return sentence.replaceAll('|', '\\|');
}
