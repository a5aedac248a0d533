// `npm start`. Plain JavaScript, because an entry in TypeScript costs a tenth of a second before the compile cache works.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Write the compile cache early, because a killed process cannot write it at its end. */
const WRITE_COMPILED_AFTER_MS = 5_000;

const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
enableCompileCache(compiled);
// Programs that the server starts use the compile cache, too.
process.env['NODE_COMPILE_CACHE'] ??= compiled;
setTimeout(flushCompileCache, WRITE_COMPILED_AFTER_MS).unref();

const { importServer } = await import('./bundling/import-server.ts');
await importServer(process.argv.slice(2));
