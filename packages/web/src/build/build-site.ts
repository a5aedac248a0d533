/** Builds the files for browsers and the renderer for the server, unless the same sources were already built. */
import { join } from 'node:path';
import { type KeptBuild, keepBuild } from './kept-builds.ts';
import { precompress } from './precompress.ts';
import { siteSources } from './site-sources.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');
const ROOT = join(PACKAGE, '..', '..');

export async function buildSite(log: (message: string) => void): Promise<KeptBuild> {
  const make = async (folder: string): Promise<void> => {
    await keepingEnvironment(() => runVite(folder));
    await precompress(join(folder, 'client'));
  };
  return await keepBuild({ what: 'the site', ...siteSources, make }, log);
}

/** Vite sets NODE_ENV to production for the whole process. This restores it after the build, also for child processes. */
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
  // Loaded only if there is something to build.
  const [{ build }, { slimOperations }] = await Promise.all([import('vite'), import('./slim-operations.ts')]);
  const shared = { configFile: false, root: PACKAGE, logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' } } as const;
  await build({
    ...shared,
    plugins: [slimOperations(ROOT)],
    build: {
      outDir: join(outFolder, 'client'),
      manifest: 'manifest.json',
      target: 'es2022',
      // Every asset is a file: the content security policy allows no data: URLs for scripts, styles and fonts.
      assetsInlineLimit: 0,
      // One style sheet, so that a page looks the same whichever pages were visited before.
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
        // Contract and SDK are shared with the server that loads this; all other code is bundled.
        external: ['@market/contract', '@market/sdk'],
      },
    },
  });
}
