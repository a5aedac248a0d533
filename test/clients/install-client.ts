/**
 * Published clients with their own dependencies, installed at their first use and kept until their lock file changes. They stay out of our
 * own packages: their dependencies conflict with one another, and only these tests need them.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export type ClientName = 'official' | 'axios' | 'legacy' | 'faremeter' | 'mcp-first' | 'openai-agents';

export async function installClient(name: ClientName): Promise<string> {
  return await installPackages(path.join(import.meta.dirname, name));
}

/** The folder with the `node_modules` that `source` locks. The first process puts it there complete, so nobody sees a partial one. */
export async function installPackages(source: string): Promise<string> {
  const name = path.basename(source);
  const locked = await readFile(path.join(source, 'package-lock.json'));
  const version = createHash('sha256').update(locked).digest('hex').slice(0, 16);
  const folder = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'market-clients', `${name}-${version}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(draft, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) await copyFile(path.join(source, file), path.join(draft, file));
    await runNpm(name, draft);
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

const INSTALL_TIMEOUT_MS = 170_000;

async function runNpm(name: string, folder: string): Promise<void> {
  const npm = process.env['npm_execpath'];
  const [program, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const args = [...first, 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await promisify(execFile)(program, args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    throw new Error(`The packages of ${name} could not be installed. Check that npm can reach its registry, then run the tests again.`, {
      cause: error,
    });
  }
}

/** Runs a copy of the client's program beside its packages, because imports are resolved there. */
export async function importClient(name: ClientName): Promise<unknown> {
  const folder = await installClient(name);
  const program = path.join(folder, `client-${randomBytes(4).toString('hex')}.mjs`);
  try {
    await copyFile(path.join(import.meta.dirname, name, 'client.mjs'), program);
    return await import(pathToFileURL(program).href);
  } finally {
    await rm(program, { force: true });
  }
}
