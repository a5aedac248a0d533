/** `npm run generate` writes every generated file; with `--check` it writes nothing and names the stale ones. */
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Generator } from './generators/generator.ts';
import { generators } from './generators/index.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** A generated file that differs on disk; `undefined` content means that the file should not exist. */
export interface StaleFile {
  readonly path: string;
  readonly content: string | undefined;
}

export async function findStaleFiles(list: readonly Generator[], root = repository): Promise<StaleFile[]> {
  const stale = await Promise.all(list.map((generator) => staleFilesOf(generator, root)));
  return stale.flat();
}

async function staleFilesOf(generator: Generator, root: string): Promise<StaleFile[]> {
  const rendered = await generator.render();
  const stale: StaleFile[] = [];
  for (const [path, content] of Object.entries(rendered)) {
    if ((await readIfPresent(join(root, path))) !== content) stale.push({ path, content });
  }
  const { ownsFolder } = generator;
  const present = ownsFolder === undefined ? [] : (await listIfPresent(join(root, ownsFolder))).map((file) => `${ownsFolder}/${file}`);
  const orphans = present.filter((path) => !Object.hasOwn(rendered, path)).map((path) => ({ path, content: undefined }));
  return [...stale, ...orphans];
}

export async function writeFiles(files: readonly StaleFile[], root = repository): Promise<void> {
  for (const { path, content } of files) {
    const file = join(root, path);
    if (content === undefined) {
      await rm(file);
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function orWhenMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}

function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(orWhenMissing(undefined));
}

async function listIfPresent(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(orWhenMissing<Dirent[]>([]));
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

if (import.meta.main) {
  const stale = await findStaleFiles(generators);
  if (process.argv.includes('--check')) {
    for (const { path } of stale) console.error(`stale: ${path}`);
    if (stale.length > 0) console.error('Run `npm run generate` and commit the result.');
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    await writeFiles(stale);
    for (const { path, content } of stale) console.log(`${content === undefined ? 'removed' : 'wrote'} ${path}`);
  }
}
