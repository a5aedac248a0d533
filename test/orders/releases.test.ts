/** How fast a thousand go is measured by `npm run bench -- releases`, which has the machine to itself. */
import { test } from 'node:test';
import { releaseMany } from './release-many.ts';

test('orders delivered and not looked at are all released when their reviews end at once, each once, and the books are sound', async (context) => {
  const seconds = await releaseMany(200, 60);
  context.diagnostic(`200 releases in ${seconds.toFixed(1)} s`);
});
