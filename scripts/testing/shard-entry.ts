// The process of a shard: each file becomes a suite, so that its hooks run around its own tests only.
import assert from 'node:assert/strict';
import { relative, resolve } from 'node:path';
import { after, describe } from 'node:test';

const files = process.argv.slice(2);

for (const file of files) {
  describe(relative(process.cwd(), file), async () => {
    const before = { cwd: process.cwd(), environment: JSON.stringify(process.env) };
    // A file that changes what the whole process shares belongs into a process of its own (plan-shards.ts).
    if (files.length > 1)
      after(() => {
        assert.equal(process.cwd(), before.cwd, 'the file changed the working directory');
        assert.equal(JSON.stringify(process.env), before.environment, 'the file changed the environment');
      });
    await import(resolve(file));
  });
}
