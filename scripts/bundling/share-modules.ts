/** Lets separately built code use the modules of a bundle instead of loading them a second time. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Makes imports by these names resolve to the given files. */
export function shareModules(files: ReadonlyMap<string, string>): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const file = files.get(specifier);
      return file === undefined ? nextResolve(specifier, context) : { url: pathToFileURL(file).href, shortCircuit: true };
    },
  });
}
