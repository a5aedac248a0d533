// Builds the site and the bundle of the server where their sources changed; otherwise costs a moment. `npm start` and images run it.
import { buildSite } from '../packages/web/src/build/build-site.ts';
import { buildServer } from './bundling/server-bundle.ts';

const log = (message: string): void => console.error(message);

await buildSite(log);
try {
  await buildServer(log);
} catch (error) {
  // The server runs from its sources as well; it only starts later and takes more memory.
  log(`The server could not be bundled and starts from its sources: ${error instanceof Error ? error.message : error}`);
}
