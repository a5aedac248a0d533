// `npm test -- --changed`: the test files that a change can reach through imports.
import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { listImports } from '../check-directions-source.ts';

export interface Project {
  /** Texts of source files, by path relative to the project. */
  readonly sources: ReadonlyMap<string, string>;
  /** The entry file of each `@market/…` package. */
  readonly packages: ReadonlyMap<string, string>;
}

/**
 * Files that import nearly everything: through `app.ts`, every change would reach every test of a market. A change of a noun with its own
 * tests selects those instead: tests named after it, and its folder. Other changes, such as of the executor, select tests through hubs.
 */
const HUBS = [
  /^packages\/server\/src\/(?:app|main|serve)\.ts$/,
  /^packages\/server\/src\/app\//,
  /^packages\/contract\/src\/(?:index|operations)\.ts$/,
];

/** Programs that tests start or open in a browser without an import, and the test helper that does it. */
const STARTED_BY: readonly (readonly [program: RegExp, starter: string])[] = [
  [/^packages\/(?:server|cli)\/src\/main\.ts$/, 'test/harness/programs.ts'],
  [/^packages\/web\/src\//, 'test/harness/browser.ts'],
];

/** Files that no import names and every test needs. */
const REACHES_ALL = /(?:\.sql|(?:^|\/)package(?:-lock)?\.json)$/;

export function findChangedTests(project: Project, changed: readonly string[]): string[] {
  const tests = [...project.sources.keys()].filter((file) => file.endsWith('.test.ts')).sort();
  if (changed.some((file) => REACHES_ALL.test(file))) return tests;
  const importers = listImporters(project);
  const reached = new Set<string>();
  for (const file of changed) {
    const noun = nounOf(file);
    const named = noun === undefined ? [] : tests.filter((test) => isAbout(test, noun));
    for (const found of [...named, ...listReached(importers, file, named.length === 0)]) reached.add(found);
  }
  return tests.filter((file) => reached.has(file));
}

function listReached(importers: ReadonlyMap<string, string[]>, changed: string, throughHubs: boolean): ReadonlySet<string> {
  const reached = new Set([changed]);
  for (const file of reached) {
    if (file !== changed && !throughHubs && HUBS.some((hub) => hub.test(file))) continue;
    for (const importer of importers.get(file) ?? []) reached.add(importer);
    const starters = throughHubs ? STARTED_BY.filter(([program]) => program.test(file)) : [];
    for (const [, starter] of starters) reached.add(starter);
  }
  return reached;
}

function listImporters({ sources, packages }: Project): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [file, source] of sources)
    for (const { specifier } of listImports(source)) {
      const target = packages.get(specifier) ?? (specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined);
      if (target !== undefined && sources.has(target)) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  return importers;
}

/** The feature, surface or noun of a product file: `orders` for `features/orders/timers.ts`. */
function nounOf(file: string): string | undefined {
  return /^packages\/(?:server\/src\/(?:features|surfaces(?!\/rest\/))|contract\/src|web\/src\/pages)\/([^/]+)\//.exec(file)?.[1];
}

/** Whether a test is named after a noun, as `test/orders/…` and `orders-list.test.ts`. The singular counts: `agents` finds `agent-me`. */
function isAbout(test: string, noun: string): boolean {
  const stem = noun.replace(/s$/, '');
  return test.startsWith('test/') && new RegExp(`(?:/|-)${stem}s?(?:/|-|\\.)`).test(test);
}

export function readProject(root: string): Project {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const find = (pattern: string) =>
    globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).map((file) => file.split(sep).join('/'));
  const sources = new Map(
    ['packages/*/src/**/*.{ts,tsx}', 'packages/server/testing/*.ts', 'scripts/**/*.ts', 'test/**/*.ts']
      .flatMap(find)
      .map((file) => [file, read(file)]),
  );
  const packages = new Map<string, string>();
  for (const manifest of find('packages/*/package.json')) {
    const { name, exports = {} } = JSON.parse(read(manifest));
    for (const [entry, target] of Object.entries<string>(exports))
      packages.set(posix.join(name, entry), posix.join(posix.dirname(manifest), target));
  }
  return { sources, packages };
}
