/** Bundles the modules that tests import, once per run: a process then loads a few files instead of two thousand. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { keepSourcePaths, NOT_BUNDLED } from '../bundling/bundle.ts';
import { writeLineTables } from '../bundling/line-table.ts';
import { listImports } from '../check-directions-source.ts';
import { readProject } from './changed-tests.ts';
import { MODULES } from './load-bundled-modules.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** Files that are not bundled: tests, code that only tests use, and packages that are built or started in other ways. */
const NOT_OURS = /^(?:test|scripts|packages\/(?:web|cli|server\/testing))\/|\.test\.ts$|-test-provider\.ts$/;
const SOURCES = /^packages\/(?:contract|sandbox|sdk|server)\/src\//;
/** npm packages of many ES modules, which are bundled. CommonJS packages load fast, and a bundle would lose the names of their exports. */
const MANY_MODULES = /^(?:viem|kysely|zod|jose|fast-check|@noble|@scure|@solana|@solana-program|@x402|@modelcontextprotocol)(?:\/|$)/;

/** Modules by group; a process loads a whole group or none of it. MCP and OAuth are loaded with their first request. */
const GROUPS: readonly RegExp[] = [
  /packages\/(contract|sandbox|sdk)\/src\//,
  /packages\/(server)\/src\/(?!surfaces\/(?:mcp|oauth)\/)/,
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/,
];

/** Writes the modules into the folder of bundled programs, because they start programs from their own folder. */
export async function bundleModules(folder: string): Promise<void> {
  const made = await rolldown({
    cwd: ROOT,
    input: { tests: ENTRY },
    platform: 'node',
    external: NOT_BUNDLED,
    plugins: [modulesOfTests(), keepSourcePaths()],
    logLevel: 'silent',
  });
  const { output } = await made.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    sourcemap: true,
    codeSplitting: { groups: GROUPS.map((path) => ({ name: (id: string) => path.exec(id)?.[1]?.replaceAll(/\W+/g, '-') ?? null })) },
  });
  await made.close();
  writeLineTables(folder, ROOT);
  const modules = output
    .filter((chunk) => chunk.type === 'chunk')
    .filter(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId !== null && facadeModuleId !== ENTRY)
    .map(({ facadeModuleId, fileName }) => [pathToFileURL(facadeModuleId ?? '').href, pathToFileURL(join(folder, fileName)).href]);
  writeFileSync(join(folder, MODULES), JSON.stringify(Object.fromEntries(modules)));
}

const ENTRY = '\0tests';

/** Resolves each import from the importing file, because two workspaces may have different versions of a package. */
function modulesOfTests(): Plugin {
  return {
    name: 'modules-of-tests',
    async buildStart() {
      const found = new Set<string>();
      for (const { specifier, importer } of findImports()) {
        const id = (await this.resolve(specifier, join(ROOT, importer)))?.id;
        if (id === undefined || found.has(id) || !(MANY_MODULES.test(specifier) || isSource(id.slice(ROOT.length + 1)))) continue;
        found.add(id);
        this.emitFile({ type: 'chunk', id, name: `module-${found.size}` });
      }
    },
    resolveId: (id) => (id === ENTRY ? id : undefined),
    load: (id) => (id === ENTRY ? 'export {}' : undefined),
  };
}

function findImports(): { readonly specifier: string; readonly importer: string }[] {
  return [...readProject(ROOT).sources]
    .filter(([importer]) => NOT_OURS.test(importer))
    .flatMap(([importer, source]) => listImports(source).map(({ specifier }) => ({ specifier, importer })))
    .filter(({ specifier }) => /^(?:\.|@market\/)/.test(specifier) || MANY_MODULES.test(specifier));
}

const isSource = (file: string): boolean => SOURCES.test(file) && !NOT_OURS.test(file);
