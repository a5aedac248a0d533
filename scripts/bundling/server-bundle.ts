/** The server as a bundle, made once per state of the sources and kept beside them. */
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
    // Bundles name files of this checkout by their whole path.
    circumstances: [ROOT, process.version],
  },
};

/** The program to import, if it is made from the present sources. */
export function findServerBundle(): { readonly folder: string; readonly program: string } | undefined {
  const folder = findFreshBuild(serverBuild);
  return folder === undefined ? undefined : { folder, program: join(folder, 'server.js') };
}

export async function buildServer(log: (message: string) => void): Promise<KeptBuild> {
  const make = async (folder: string): Promise<void> => {
    // Loaded only when there is something to build.
    const [{ bundle, startedPrograms }, { writeLineTables }] = await Promise.all([import('./bundle.ts'), import('./line-table.ts')]);
    await bundle({ folder, entries: { server: 'packages/server/src/serve.ts', ...startedPrograms() }, sourceMaps: true });
    writeLineTables(folder, ROOT);
    if (!readdirSync(folder).includes('server.js')) throw new Error('the bundle has no server.js');
  };
  return await keepBuild({ what: 'the server', ...serverBuild, make }, log);
}
