/**
 * Builds are made once and kept in `dist/<fingerprint>`. `dist/current` names the one to use. Several processes may build at once: each
 * works in its own folder, and the first to finish wins.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintSources, type Sources } from './fingerprint.ts';

/** A running server loads its files one by one, so earlier builds stay for a while. */
const BUILDS_TO_KEEP = 5;
const POINTER = 'current';
const MEMORY = 'seen';

export interface KeptBuilds {
  /** The subject of log sentences, as in "Building the site". */
  readonly what: string;
  readonly dist: string;
  readonly sources: Sources;
  readonly make: (folder: string) => Promise<void>;
}

export interface KeptBuild {
  readonly folder: string;
  readonly built: boolean;
}

/** The build that `current` names, whatever its sources; undefined before the first. */
export function currentBuild(dist: string): string | undefined {
  const pointer = join(dist, POINTER);
  if (!existsSync(pointer)) return undefined;
  const folder = join(dist, readFileSync(pointer, 'utf8').trim());
  return existsSync(folder) ? folder : undefined;
}

/** The build of the present sources, if it is the current one. */
export function findFreshBuild({ dist, sources }: Pick<KeptBuilds, 'dist' | 'sources'>): string | undefined {
  const folder = join(dist, fingerprintSources(sources, join(dist, MEMORY)));
  return currentBuild(dist) === folder ? folder : undefined;
}

export async function keepBuild({ what, dist, sources, make }: KeptBuilds, log: (message: string) => void): Promise<KeptBuild> {
  const fingerprint = fingerprintSources(sources, join(dist, MEMORY));
  const folder = join(dist, fingerprint);
  if (existsSync(folder)) {
    if (currentBuild(dist) !== folder) pointAt(dist, fingerprint);
    return { folder, built: false };
  }
  const startedAt = performance.now();
  log(`Building ${what} (its sources changed)…`);
  mkdirSync(dist, { recursive: true });
  const workFolder = mkdtempSync(join(dist, 'building-'));
  try {
    await make(workFolder);
    moveInto(workFolder, folder);
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
  pointAt(dist, fingerprint);
  removeOldBuilds(dist, fingerprint);
  log(`Built ${what} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return { folder, built: true };
}

function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another process built the same sources in the meantime, so use its build.
    if (!existsSync(to)) throw error;
  }
}

function pointAt(dist: string, fingerprint: string): void {
  const temporary = join(dist, `${POINTER}.${process.pid}`);
  writeFileSync(temporary, fingerprint);
  renameSync(temporary, join(dist, POINTER));
}

function removeOldBuilds(dist: string, current: string): void {
  const builds = readdirSync(dist)
    .filter((name) => /^[0-9a-f]{20}$/.test(name) && name !== current)
    .map((name) => ({ name, time: statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.time - one.time);
  for (const { name } of builds.slice(BUILDS_TO_KEEP)) rmSync(join(dist, name), { recursive: true, force: true });
}
