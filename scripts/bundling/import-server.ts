/**
 * Loads the server into this process: from its bundle, or from its sources if bundling fails. Builds an outdated bundle in another process,
 * so that this process does not keep the memory of the build.
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

/** `npm start -- --sources` runs without the bundle, for developers who change the server. */
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
  // Undefined if bundling failed; the build has printed why.
  return findServerBundle();
}

function build(): void {
  const program = join(ROOT, 'scripts', 'build.ts');
  const { status } = spawnSync(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
