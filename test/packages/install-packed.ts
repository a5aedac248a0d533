/** Installs the packed tarballs in a clean folder, as a user does. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from '../../scripts/packing/pack-packages.ts';

const run = promisify(execFile);

export interface CleanFolder {
  readonly folder: string;
  readonly tarballs: readonly string[];
  /** The machine's own Node if the packages support it; otherwise the Node of the tests. */
  readonly node: string;
  remove(): Promise<void>;
}

export async function installPacked(): Promise<CleanFolder> {
  const place = await mkdtemp(path.join(tmpdir(), 'market-packages-'));
  const tarballs = await packPackages(place);
  const folder = path.join(place, 'clean');
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs];
  try {
    await run('npm', args, { cwd: folder, timeout: 120_000 });
  } catch (error) {
    throw new Error('The packages could not be installed. Check that npm can reach its registry, then run the tests again.', {
      cause: error,
    });
  }
  return { folder, tarballs, node: await findNode(), remove: () => rm(place, { recursive: true, force: true }) };
}

async function findNode(): Promise<string> {
  // npm puts node_modules/.bin first in PATH, and with it this repository's Node.
  const places = (process.env['PATH'] ?? '').split(path.delimiter).filter((place) => !place.includes('node_modules'));
  for (const place of places) {
    const program = path.join(place, 'node');
    const version = await run(program, ['--version']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    if (Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= 20) return program;
  }
  return process.execPath;
}
