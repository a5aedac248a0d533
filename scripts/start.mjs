// `npm start`. Plain JavaScript, because an entry in TypeScript costs a tenth of a second before anything can be cached.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A killed process leaves what it has compiled only if it wrote it down before. */
const WRITE_COMPILED_AFTER_MS = 5_000;

const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
enableCompileCache(compiled);
// The programs that the server starts use it, too.
process.env['NODE_COMPILE_CACHE'] ??= compiled;
setTimeout(flushCompileCache, WRITE_COMPILED_AFTER_MS).unref();

const { importServer } = await import('./bundling/import-server.ts');
await importServer(process.argv.slice(2));
