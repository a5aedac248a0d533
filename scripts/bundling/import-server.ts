/**
 * Loads the server into this process: from its bundle, or from its sources where it cannot be bundled. Builds what is out of date in a process
 * of its own, whose memory goes away with it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreshBuild } from '../../packages/web/src/build/kept-builds.ts';
import { siteSources } from '../../packages/web/src/build/site-sources.ts';
import { nameSourcesInStacks } from './readable-stacks.ts';
import { findServerBundle } from './server-bundle.ts';
import { shareModules } from './share-modules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'packages', 'server', 'src', 'main.ts');

/** `npm start -- --sources` leaves the bundle out, for those who change the server. */
const FROM_SOURCES = '--sources';

export async function importServer(args: readonly string[]): Promise<void> {
  const bundle = findBundle(args.includes(FROM_SOURCES));
  if (bundle !== undefined) {
    nameSourcesInStacks(bundle.folder, ROOT);
    shareModules(bundle.shared);
  }
  await import(pathToFileURL(bundle?.program ?? SOURCES).href);
}

function findBundle(fromSources: boolean): ReturnType<typeof findServerBundle> {
  const isSiteFresh = findFreshBuild(siteSources) !== undefined;
  if (fromSources) {
    if (!isSiteFresh) build();
    return undefined;
  }
  const bundle = findServerBundle();
  if (bundle !== undefined && isSiteFresh) return bundle;
  build();
  // Undefined again where the server could not be bundled; the build has said why.
  return findServerBundle();
}

function build(): void {
  const program = join(ROOT, 'scripts', 'build.ts');
  const { status } = spawnSync(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
