/** One hash over all sources of a build, so that the same sources are never built twice. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

export interface Sources {
  readonly root: string;
  /** Folders, and the names of the files in them that count; tests never do. */
  readonly folders: readonly { readonly folder: string; readonly files: RegExp }[];
  readonly files: readonly string[];
  /** Other influences on the build, such as the version of Node. */
  readonly circumstances?: readonly string[];
}

const TEST_FILE = /\.test\.tsx?$/;

/**
 * `memory` is a file with the hash, and with sizes and times of the sources. While these are unchanged, no source is read, which makes the
 * check ten times faster. The time of the last status change counts, too, because no copy program can set it.
 */
export function fingerprintSources(sources: Sources, memory: string): string {
  const files = listFiles(sources);
  const seen = hashOf([
    sources.root,
    ...(sources.circumstances ?? []),
    ...files.map((file) => {
      const { size, mtimeMs, ctimeMs } = statSync(join(sources.root, file));
      return `${file} ${size} ${mtimeMs} ${ctimeMs}`;
    }),
  ]);
  const [remembered, known] = recall(memory);
  if (remembered === seen && known !== undefined) return known;
  const contents = files.flatMap((file) => [file.split(sep).join('/'), readFileSync(join(sources.root, file))]);
  const fingerprint = hashOf([...(sources.circumstances ?? []), ...contents]);
  remember(memory, `${seen} ${fingerprint}`);
  return fingerprint;
}

function listFiles({ root, folders, files }: Sources): string[] {
  const found = folders.flatMap(({ folder, files: wanted }) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => wanted.test(file) && !TEST_FILE.test(file))
      .map((file) => join(folder, file)),
  );
  return [...found, ...files].sort();
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 20);
}

function recall(memory: string): string[] {
  try {
    return readFileSync(memory, 'utf8').split(' ');
  } catch {
    return [];
  }
}

function remember(memory: string, text: string): void {
  try {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, text);
  } catch {
    // In a read-only checkout the next check reads the sources again, which costs only time.
  }
}
