// Builds the site and the server's bundle if their sources changed. `npm start` and images run it.
import { buildSite } from '../packages/web/src/build/build-site.ts';
import { buildServer } from './bundling/server-bundle.ts';

const log = (message: string): void => console.error(message);

await buildSite(log);
try {
  await buildServer(log);
} catch (error) {
  // Continue without a bundle: the server also runs from its sources, but starts later and takes more memory.
  log(`The server could not be bundled and starts from its sources: ${error instanceof Error ? error.message : error}`);
}
