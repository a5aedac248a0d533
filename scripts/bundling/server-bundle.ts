/** The server's bundle, made once per state of the sources and stored beside them. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findFreshBuild, type KeptBuild, keepBuild } from '../../packages/web/src/build/kept-builds.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const PACKAGES = ['contract', 'sandbox', 'sdk', 'server', 'web'];

const serverBuild = {
  dist: join(ROOT, 'packages', 'server', 'dist'),
  sources: {
    root: ROOT,
    folders: [
      ...PACKAGES.map((name) => ({ folder: `packages/${name}/src`, files: /\.(?:ts|json)$/ })),
      { folder: 'scripts/bundling', files: /\.ts$/ },
    ],
    files: ['package-lock.json', ...PACKAGES.map((name) => `packages/${name}/package.json`)],
    // Rebuild in another folder: bundles contain absolute paths of this checkout.
    circumstances: [ROOT, process.version],
  },
};

/** Packages that the site's renderer imports by name. It must get the bundled ones, or they would be loaded twice. */
const SHARED = { '@market/contract': 'contract', '@market/sdk': 'sdk' } as const;

export interface ServerBundle {
  readonly folder: string;
  /** The file to import. */
  readonly program: string;
  /** The bundled files of shared packages, by package name. */
  readonly shared: ReadonlyMap<string, string>;
}

/** Returns undefined if no bundle of the present sources exists. */
export function findServerBundle(): ServerBundle | undefined {
  const folder = findFreshBuild(serverBuild);
  if (folder === undefined) return undefined;
  const shared = Object.entries(SHARED).map(([name, entry]) => [name, join(folder, `${entry}.js`)] as const);
  return { folder, program: join(folder, 'server.js'), shared: new Map(shared) };
}

export async function buildServer(log: (message: string) => void): Promise<KeptBuild> {
  const make = async (folder: string): Promise<void> => {
    // Import the bundler here, because most starts have nothing to build.
    const [{ bundle, startedPrograms }, { writeLineTables }] = await Promise.all([import('./bundle.ts'), import('./line-table.ts')]);
    const shared = Object.values(SHARED).map((name) => [name, `packages/${name}/src/index.ts`]);
    const entries = { server: 'packages/server/src/serve.ts', ...Object.fromEntries(shared), ...startedPrograms() };
    await bundle({ folder, entries, sourceMaps: true });
    writeLineTables(folder, ROOT);
    if (!readdirSync(folder).includes('server.js')) throw new Error('the bundle has no server.js');
  };
  return await keepBuild({ what: 'the server', ...serverBuild, make }, log);
}
