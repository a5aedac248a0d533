/**
 * Builds what the browser loads and what the server renders with, into `dist/<fingerprint>`. `dist/current` names the build to serve.
 * Several processes may build at once: each works in a folder of its own, and the first to finish wins.
 */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { currentBuild, DIST, POINTER } from '../open-site.ts';
import { fingerprintSources } from './fingerprint.ts';
import { precompress } from './precompress.ts';
import { slimOperations } from './slim-operations.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');
const ROOT = join(PACKAGE, '..', '..');
/** A running server loads its pages one by one, so the builds before this one stay for a while. */
const BUILDS_TO_KEEP = 5;

export interface SiteBuild {
  readonly folder: string;
  readonly built: boolean;
}

export async function buildSite(log: (message: string) => void): Promise<SiteBuild> {
  const fingerprint = fingerprintSources(ROOT);
  const folder = join(DIST, fingerprint);
  if (existsSync(folder)) {
    if (currentBuild() !== folder) pointAt(fingerprint);
    return { folder, built: false };
  }
  const startedAt = performance.now();
  log('Building the site (its sources changed)…');
  await mkdir(DIST, { recursive: true });
  const workFolder = mkdtempSync(join(DIST, 'building-'));
  try {
    await keepingEnvironment(() => runVite(workFolder));
    await precompress(join(workFolder, 'client'));
    moveInto(workFolder, folder);
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
  pointAt(fingerprint);
  removeOldBuilds(fingerprint);
  log(`Built the site in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return { folder, built: true };
}

/** Vite sets NODE_ENV to production for the whole process. Restore it after the build, also for child processes. */
async function keepingEnvironment(work: () => Promise<void>): Promise<void> {
  const { NODE_ENV: before } = process.env;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
}

async function runVite(outFolder: string): Promise<void> {
  // Loaded only when there is something to build.
  const { build } = await import('vite');
  const shared = { configFile: false, root: PACKAGE, logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' } } as const;
  await build({
    ...shared,
    plugins: [slimOperations(ROOT)],
    build: {
      outDir: join(outFolder, 'client'),
      manifest: 'manifest.json',
      target: 'es2022',
      // Everything is a file of ours: the content security policy knows no data: addresses for scripts, styles and fonts.
      assetsInlineLimit: 0,
      // One style sheet: a page looks the same whichever pages were visited before it.
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: 'src/entry-client.tsx',
        treeshake: { moduleSideEffects: (id: string) => !id.includes('/packages/contract/') },
      },
    },
  });
  await build({
    ...shared,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: join(outFolder, 'server'),
      target: 'node24',
      copyPublicDir: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: 'src/entry-server.tsx',
        output: { entryFileNames: 'entry-server.js' },
        // The contract and the SDK are shared with the server that loads this; everything else is inside.
        external: ['@market/contract', '@market/sdk'],
      },
    },
  });
}

function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another process built the same sources meanwhile; use its build.
    if (!existsSync(to)) throw error;
  }
}

function pointAt(fingerprint: string): void {
  const temporary = join(DIST, `${POINTER}.${process.pid}`);
  writeFileSync(temporary, fingerprint);
  renameSync(temporary, join(DIST, POINTER));
}

function removeOldBuilds(current: string): void {
  const builds = readdirSync(DIST)
    .filter((name) => /^[0-9a-f]{20}$/.test(name) && name !== current)
    .map((name) => ({ name, time: statSync(join(DIST, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.time - one.time);
  for (const { name } of builds.slice(BUILDS_TO_KEEP)) rmSync(join(DIST, name), { recursive: true, force: true });
}
