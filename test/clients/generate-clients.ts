/** Generates clients as users do: generators read the served document, the compiler checks their output, and a bundler makes it run. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { installPackages } from './install-client.ts';

export const generators = ['openapi-fetch', 'orval', 'hey-api'] as const;
export type Generator = (typeof generators)[number];

export interface GeneratedClients {
  /** Compiler errors of the generated code and the programs that use it. */
  compile(): Promise<string>;
  load(generator: Generator): Promise<unknown>;
  remove(): Promise<void>;
}

const SOURCES = path.join(import.meta.dirname, 'generated');
/** The program of each generator and its arguments. */
const COMMANDS: Readonly<Record<Generator, readonly [string, ...string[]]>> = {
  'openapi-fetch': ['openapi-typescript/bin/cli.js', 'api.json', '--output', 'types/schema.ts'],
  orval: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
  'hey-api': ['@hey-api/openapi-ts/bin/run.js', '--input', 'api.json', '--output', 'hey-api', '--no-log-file'],
};
const COMPILER = path.join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');

export async function generateClients(document: string, chosen: readonly Generator[]): Promise<GeneratedClients> {
  const packages = await installPackages(SOURCES);
  // Beside the packages, because imports are resolved there.
  const folder = path.join(packages, `generated-${randomBytes(4).toString('hex')}`);
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [path.join(packages, 'node_modules', program), ...args], { cwd: folder });
  await mkdir(folder);
  await writeFile(path.join(folder, 'api.json'), document);
  const programs = ['journey.mts', ...chosen.map((generator) => `${generator}.mts`)];
  for (const file of [...programs, 'orval.config.mjs', 'tsconfig.json']) await copyFile(path.join(SOURCES, file), path.join(folder, file));
  await Promise.all(chosen.map((generator) => run(...COMMANDS[generator])));
  return {
    async compile() {
      const compiled = await promisify(execFile)(process.execPath, [COMPILER, '--project', folder, '--pretty', 'false']).catch(
        (error: { stdout: string }) => error,
      );
      return compiled.stdout;
    },
    async load(generator) {
      const bundle = path.join(folder, `${generator}.mjs`);
      await run('esbuild/bin/esbuild', `${generator}.mts`, '--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`);
      return await import(pathToFileURL(bundle).href);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
