/** Packs contract, SDK and CLI as tarballs that anyone can install. Each is compiled against the packed packages that it depends on. */
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packedManifest, type RootManifest, type WorkspaceManifest } from './packed-manifest.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const COMMAND_TIMEOUT_MS = 120_000;

/** The packages, each after its dependencies. */
const PACKAGES = [
  { name: 'contract', replaced: {} },
  { name: 'sdk', replaced: {} },
  { name: 'cli', replaced: { './src/server/index.ts': './src/without-server.ts' }, without: 'src/server' },
] as const;

/** Compiler options. `es2023` is the library of Node 20, so newer methods are errors. The other rules are those of the repository. */
const COMPILER = {
  target: 'es2022',
  lib: ['es2023'],
  noEmit: false,
  incremental: false,
  tsBuildInfoFile: null,
  allowImportingTsExtensions: false,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  rootDir: 'src',
  outDir: 'dist',
  typeRoots: [join(ROOT, 'node_modules', '@types')],
};

/** Writes the tarballs into `folder` and returns their paths, dependencies first. */
export async function packPackages(folder: string): Promise<string[]> {
  const stage = join(folder, 'build');
  rmSync(stage, { recursive: true, force: true });
  const tarballs: string[] = [];
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as RootManifest;
  for (const { name, replaced, ...rest } of PACKAGES) {
    const place = join(stage, name);
    const source = join(ROOT, 'packages', name);
    const workspace = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as WorkspaceManifest;
    mkdirSync(place, { recursive: true });
    cpSync(join(source, 'src'), join(place, 'src'), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
    if ('without' in rest) rmSync(join(place, rest.without), { recursive: true });
    cpSync(join(source, 'README.md'), join(place, 'README.md'));
    if (root.license !== undefined) cpSync(join(ROOT, 'LICENSE'), join(place, 'LICENSE'));
    writeJson(join(place, 'package.json'), packedManifest(workspace, root, replaced));
    for (const dependency of Object.keys(workspace.dependencies ?? {})) link(stage, dependency);
    await compile(place);
    tarballs.push(await makeTarball(place, folder));
  }
  return tarballs;
}

/** Links a dependency of the package under compilation: a packed package of ours, or the repository's installed one. */
function link(stage: string, dependency: string): void {
  const ours = /^@market\/(.+)$/.exec(dependency)?.[1];
  const place = join(stage, 'node_modules', dependency);
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { force: true });
  symlinkSync(ours === undefined ? join(ROOT, 'node_modules', dependency) : join(stage, ours), place, 'dir');
}

async function compile(place: string): Promise<void> {
  writeJson(join(place, 'tsconfig.json'), {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: COMPILER,
    include: ['src'],
    exclude: [],
  });
  try {
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', place, '--checkers', '1'], { cwd: place, timeout: COMMAND_TIMEOUT_MS });
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    throw new Error(`${place} does not compile for Node 20:\n${stdout}`, { cause: error });
  }
  for (const file of globSync('dist/**/*.d.ts', { cwd: place })) nameCompiledFiles(join(place, file));
}

/** Rewrites `./x.ts` in declarations, where the compiler leaves it; in programs it rewrites it. */
function nameCompiledFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  const named = text.replace(/(\bfrom '|\bimport\(")(\.{1,2}\/[^'"]+)\.ts(?='|"\))/g, '$1$2.js');
  if (named !== text) writeFileSync(file, named);
}

async function makeTarball(place: string, folder: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: place, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
  const [made] = JSON.parse(stdout) as { filename: string }[];
  if (made === undefined) throw new Error(`npm made no tarball of ${place}.`);
  return join(folder, made.filename);
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
