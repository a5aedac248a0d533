// Builds the site when its sources changed; otherwise costs a moment. `npm start`, `npm test` and images run it.
import { buildSite } from '../packages/web/src/build/build-site.ts';

await buildSite((message) => console.error(message));
