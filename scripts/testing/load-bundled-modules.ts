/** Loads modules from the bundle of a test run instead of from their sources. */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { nameSourcesInStacks } from '../bundling/readable-stacks.ts';

/** File with the bundle of each module, by the module's URL. */
export const MODULES = 'modules.json';

/** Redirects imports of bundled modules from their source to the bundle. Without a bundle it does nothing. */
export function loadModulesFromBundle(folder: string | undefined, root: string): void {
  if (folder === undefined || !existsSync(join(folder, MODULES))) return;
  const bundles = new Map<string, string>(Object.entries(JSON.parse(readFileSync(join(folder, MODULES), 'utf8'))));
  nameSourcesInStacks(folder, root);
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      const bundle = bundles.get(found.url);
      return bundle === undefined ? found : { url: bundle, format: 'module', shortCircuit: true };
    },
  });
}
