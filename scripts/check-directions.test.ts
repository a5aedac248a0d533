import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { directions } from './check-directions.ts';
import { findViolations } from './check-directions-rules.ts';

const manifests: Record<string, string> = {
  'package.json': JSON.stringify({ devDependencies: { 'fast-check': '1' } }),
  'packages/contract/package.json': JSON.stringify({ dependencies: { zod: '1', other: '1' } }),
  'packages/sandbox/package.json': JSON.stringify({ dependencies: { jose: '1' } }),
  'packages/server/package.json': JSON.stringify({ dependencies: { kysely: '1', pg: '1' }, optionalDependencies: { '@embedded/x': '1' } }),
};

/** `file:line rule` for each violation in a tree of these files. */
function check(files: Record<string, string>): string[] {
  const { violations } = findViolations(new Map(Object.entries({ ...manifests, ...files })), directions);
  return violations.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

/** The rules broken by one line in a file of the server. */
function checkServer(file: string, line: string): string[] {
  return check({ [`packages/server/src/${file}`]: line }).map((violation) => violation.split(' ')[1] ?? '');
}

function checkImport(file: string, specifier: string): string[] {
  return check({ [file]: `import '${specifier}';` }).map((violation) => violation.split(' ')[1] ?? '');
}

test('contract imports only zod and itself; its tests may use node and the test tools', () => {
  const file = 'packages/contract/src/orders/schema.ts';
  assert.deepEqual(checkImport(file, 'zod'), []);
  assert.deepEqual(checkImport(file, 'zod/v4'), []);
  assert.deepEqual(checkImport(file, '../kernel/money.ts'), []);
  assert.deepEqual(checkImport(file, 'other'), ['package-npm']);
  assert.deepEqual(checkImport(file, 'node:crypto'), ['package-node-builtin']);
  assert.deepEqual(checkImport(file, 'crypto'), ['package-node-builtin']);
  assert.deepEqual(checkImport(file, '@market/sdk'), ['package-direction']);
  assert.deepEqual(checkImport('packages/contract/src/money.test.ts', 'node:test'), []);
  assert.deepEqual(checkImport('packages/contract/src/money.test.ts', 'fast-check'), []);
  assert.deepEqual(checkImport('packages/contract/src/money.test.ts', '@market/server'), ['package-direction']);
});

test('the kernel of the contract imports nothing else of the contract', () => {
  const file = 'packages/contract/src/kernel/money.ts';
  assert.deepEqual(checkImport(file, './networks.ts'), []);
  assert.deepEqual(checkImport(file, '../errors.ts'), ['ground-imports-nothing']);
  assert.deepEqual(checkImport(file, '../orders/schema.ts'), ['ground-imports-nothing']);
});

test('files importing each other in a cycle are refused, types included; a lazy import may close the cycle', () => {
  const a = 'packages/web/src/a.ts';
  const circle = {
    [a]: "import { b } from './b.ts';",
    'packages/web/src/b.ts': "\nexport { c } from './c.ts';",
    'packages/web/src/c.ts': "import type { A } from './a.ts';",
  };
  assert.deepEqual(check(circle), [`${a}:1 file-circle`]);
  assert.deepEqual(check({ ...circle, 'packages/web/src/c.ts': "const a = await import('./a.ts');" }), []);
  assert.deepEqual(check({ ...circle, 'packages/web/src/c.ts': "import './d.ts';", 'packages/web/src/d.ts': '' }), []);
});

test('packages import each other only in the directions of the table', () => {
  const allowed = [
    ['sdk', '@market/contract'],
    ['cli', '@market/contract'],
    ['cli', '@market/sdk'],
    ['cli', '@market/server/audit'],
    ['web', '@market/contract'],
    ['web', '@market/sdk'],
    ['sandbox', 'jose'],
    ['sandbox', 'node:fs'],
  ];
  for (const [from, to] of allowed) assert.deepEqual(checkImport(`packages/${from}/src/a.ts`, to ?? ''), [], `${from} → ${to}`);
  const refused = [
    ['sdk', '@market/server'],
    ['sdk', '@market/web'],
    ['cli', '@market/server'],
    ['cli', '@market/server/other'],
    ['web', '@market/server'],
    ['web', '@market/sandbox'],
    ['sandbox', '@market/contract'],
    ['sandbox', '@market/server'],
  ];
  for (const [from, to] of refused) {
    assert.deepEqual(checkImport(`packages/${from}/src/a.ts`, to ?? ''), ['package-direction'], `${from} → ${to}`);
  }
  assert.deepEqual(checkImport('packages/sandbox/src/a.ts', 'zod'), ['package-npm']);
  assert.deepEqual(checkImport('packages/server/src/app.ts', '@embedded/x/bin'), []);
  assert.deepEqual(checkImport('packages/newcomer/src/a.ts', 'zod'), ['package-unknown']);
});

test('a package imports another by name, never by path; its tests may import the harness, and scripts any file', () => {
  assert.deepEqual(checkImport('packages/server/src/app.ts', '../../contract/src/index.ts'), ['package-by-relative-path']);
  assert.deepEqual(checkImport('packages/server/src/app.ts', '../../../scripts/generate.ts'), ['package-by-relative-path']);
  assert.deepEqual(checkImport('packages/server/src/platform/db.ts', '../../migrations/list.ts'), []);
  assert.deepEqual(checkImport('packages/server/src/app.test.ts', '../../../test/harness/database.ts'), []);
  assert.deepEqual(checkImport('packages/server/src/app.ts', '../../../test/harness/database.ts'), ['package-by-relative-path']);
  assert.deepEqual(checkImport('packages/server/src/app.test.ts', '../../sandbox/src/index.ts'), ['package-by-relative-path']);
  assert.deepEqual(checkImport('scripts/generate.ts', '../packages/server/src/settings.ts'), []);
  assert.deepEqual(checkImport('test/story.test.ts', '@market/server'), []);
});

test('tests import the test doubles of chains, product code never does', () => {
  assert.deepEqual(checkImport('packages/server/src/platform/chains/evm/read-receipt.ts', '../../../../testing/bent-node.ts'), [
    'test-double',
  ]);
  assert.deepEqual(checkImport('packages/server/src/platform/chains/evm/read-receipt.test.ts', '../../../../testing/bent-node.ts'), []);
  assert.deepEqual(checkImport('packages/server/testing/facilitator-test-bench.ts', './bent-node.ts'), []);
});

test('in the server a lower layer never imports an upper one', () => {
  const order = ['main.ts', 'app.ts', 'surfaces/rest.ts', 'features/orders/place.ts', 'access/caller.ts', 'platform/db.ts', 'config.ts'];
  order.forEach((from, fromIndex) => {
    order.forEach((to, toIndex) => {
      if (fromIndex === toIndex) return;
      const up = '../'.repeat(from.split('/').length - 1) || './';
      const expected = toIndex < fromIndex ? ['layer-direction'] : [];
      assert.deepEqual(checkServer(from, `import type { X } from '${up}${to}';`), expected, `${from} → ${to}`);
    });
  });
});

test('a file of the server outside all layers is refused', () => {
  assert.deepEqual(checkServer('stray.ts', ''), ['layer-unknown']);
  assert.deepEqual(checkServer('config.test.ts', "import './config.ts';"), []);
});

test('a feature imports another one only through its index.ts', () => {
  const file = 'features/orders/commands/place-order.ts';
  assert.deepEqual(checkServer(file, "import { a } from '../../agents/index.ts';"), []);
  assert.deepEqual(checkServer(file, "import { a } from '../repository.ts';"), []);
  assert.deepEqual(checkServer(file, "import { a } from '../../agents/repository.ts';"), ['feature-door']);
  assert.deepEqual(checkServer(file, "import { a } from '../../agents/commands/index.ts';"), ['feature-door']);
});

test('a folder of a feature with an index.ts is a room, and files outside it import it only through its index.ts', () => {
  const folder = 'packages/server/src/features';
  const room = { [`${folder}/orders/disputes/index.ts`]: '', [`${folder}/orders/disputes/rule.ts`]: '' };
  const arrow = (file: string, target: string) => check({ ...room, [`${folder}/${file}`]: `import '${target}';` });
  assert.deepEqual(arrow('search/find.ts', '../orders/disputes/index.ts'), []);
  assert.deepEqual(arrow('search/find.ts', '../orders/disputes/rule.ts'), [`${folder}/search/find.ts:1 feature-door`]);
  assert.deepEqual(arrow('orders/place.ts', './disputes/rule.ts'), [`${folder}/orders/place.ts:1 feature-door`]);
  assert.deepEqual(arrow('orders/disputes/close.ts', './rule.ts'), []);
  assert.deepEqual(arrow('orders/commands/place.ts', '../queries.ts'), []);
});

test('rooms of a feature that import each other in a circle are refused', () => {
  const folder = 'packages/server/src/features/orders';
  const circle = {
    [`${folder}/index.ts`]: "import './disputes/index.ts';",
    [`${folder}/disputes/index.ts`]: '',
    [`${folder}/disputes/rule.ts`]: "import '../index.ts';",
  };
  assert.deepEqual(check(circle), [`${folder}/disputes/rule.ts:1 feature-circle`]);
});

test('ledger, webhooks and notifications import no other feature', () => {
  for (const feature of ['ledger', 'webhooks', 'notifications']) {
    assert.deepEqual(checkServer(`features/${feature}/post.ts`, "import { a } from '../orders/index.ts';"), ['feature-knows-none']);
  }
  assert.deepEqual(checkServer('features/orders/post.ts', "import { a } from '../ledger/index.ts';"), []);
});

test('features that import each other in a cycle are refused, and each cycle is reported once, where it closes', () => {
  const folder = 'packages/server/src/features';
  const chain = {
    [`${folder}/orders/a.ts`]: "import '../services/index.ts';\nimport '../agents/index.ts';",
    [`${folder}/services/index.ts`]: "import '../agents/index.ts';",
    [`${folder}/agents/index.test.ts`]: "import '../orders/index.ts';",
  };
  assert.deepEqual(check(chain), []);
  const circle = { ...chain, [`${folder}/agents/index.ts`]: "\nimport '../orders/index.ts';" };
  assert.deepEqual(check(circle), [`${folder}/orders/a.ts:2 feature-circle`, `${folder}/services/index.ts:1 feature-circle`]);
  const pair = { [`${folder}/a/one.ts`]: "import '../b/index.ts';", [`${folder}/b/two.ts`]: "import '../a/index.ts';" };
  assert.deepEqual(check(pair), [`${folder}/b/two.ts:1 feature-circle`]);
});

test('only config reads the environment', () => {
  const read = 'export const port = process.env["PORT"];';
  assert.deepEqual(checkServer('platform/db.ts', read), ['environment-only-in-config']);
  assert.deepEqual(checkServer('main.ts', "import { env } from 'node:process';"), ['environment-only-in-config']);
  assert.deepEqual(checkServer('config.ts', read), []);
  assert.deepEqual(checkServer('platform/db.test.ts', read), []);
  assert.deepEqual(check({ 'scripts/test.ts': read }), []);
});

test('only repositories and platform access the database', () => {
  const sql = "import { sql } from 'kysely';";
  for (const file of [
    'features/orders/repository.ts',
    'features/orders/order-repository.ts',
    'access/key-repository.ts',
    'platform/db/pool.ts',
  ]) {
    assert.deepEqual(checkServer(file, sql), [], file);
  }
  for (const file of ['features/orders/commands/place.ts', 'features/orders/not-a-repository-file.ts', 'surfaces/rest.ts', 'app.ts']) {
    assert.deepEqual(checkServer(file, sql), ['sql-only-in-repositories'], file);
  }
  assert.deepEqual(checkServer('access/keys.ts', "import pg from 'pg';"), ['sql-only-in-repositories']);
});

test('W15: clock, randomness and network come only from platform', () => {
  const refused = {
    'const now = Date.now();': 'clock-only-through-platform',
    'const clock = Date.now;': 'clock-only-through-platform',
    'const now = new Date();': 'clock-only-through-platform',
    'const now = new Date( /* now */ );': 'clock-only-through-platform',
    'const now = new Date;': 'clock-only-through-platform',
    'const luck = Math.random();': 'randomness-only-through-platform',
    'await fetch(url);': 'network-only-through-platform',
    'const get = globalThis.fetch;': 'network-only-through-platform',
    "import https from 'node:https';": 'network-only-through-platform',
    "import { connect } from 'node:tls';": 'network-only-through-platform',
    "const dns = await import('node:dns/promises');": 'network-only-through-platform',
  };
  for (const [line, rule] of Object.entries(refused)) {
    assert.deepEqual(checkServer('features/orders/place.ts', line), [rule], line);
    assert.deepEqual(checkServer('platform/clock.ts', line), [], line);
    assert.deepEqual(checkServer('features/orders/place.test.ts', line), [], line);
  }
  const fine = [
    'new Date(row.created_at)',
    'new Date("2026-01-01")',
    'client.fetch(url)',
    'prefetch(url)',
    '// Date.now()',
    "'Math.random'",
  ];
  for (const line of fine) assert.deepEqual(checkServer('features/orders/place.ts', line), [], line);
});

test('only take-step writes orders and their steps', async () => {
  const repository = join(import.meta.dirname, '../packages/server/src/features/orders/lifecycle/step-repository.ts');
  const writers = [...(await readFile(repository, 'utf8')).matchAll(/^export async function (\w+)/gm)].map(([, name]) => name);
  assert.ok(writers.includes('updateOrderRow'));
  const writes = [
    "await tx.updateTable('orders').set({ status: 'paid' }).execute();",
    "await tx.insertInto('orderSteps').values(step).execute();",
    'await sql`update orders set status = ${to}`.execute(tx);',
    ...writers.map((name) => `await ${name}(tx);`),
  ];
  for (const line of writes) {
    assert.deepEqual(checkServer('features/orders/disputes/repository.ts', line), ['orders-change-only-in-take-step'], line);
    assert.deepEqual(checkServer('features/orders/repository.ts', line), ['orders-change-only-in-take-step'], line);
    assert.deepEqual(checkServer('features/orders/lifecycle/step-repository.ts', line), [], line);
  }
  assert.deepEqual(checkServer('features/orders/repository.ts', "db.selectFrom('orders')"), []);
});

test('the script prints one line for each violation and fails, or one summary line and succeeds', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'directions-'));
  context.after(() => rm(root, { recursive: true }));
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  for (const [file, text] of Object.entries(manifests)) await write(file, text);
  await mkdir(join(root, 'scripts'));
  for (const part of ['', '-types', '-rules', '-features', '-circles', '-source']) {
    await cp(join(import.meta.dirname, `check-directions${part}.ts`), join(root, 'scripts', `check-directions${part}.ts`));
  }
  await write('packages/server/src/app.ts', "import './access/caller.ts';\n");
  await write('packages/server/src/access/caller.ts', '\n');
  const run = () =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(process.execPath, [join(root, 'scripts/check-directions.ts')], (error, stdout) =>
        resolve({ code: error?.code ?? 0, output: stdout }),
      );
    });
  const good = await run();
  assert.equal(good.code, 0);
  assert.match(good.output, /^Directions hold: \d+ imports in 8 files\.\n$/);

  await write('packages/server/src/app.ts', '\n');
  await write('packages/server/src/access/caller.ts', "\nimport '../app.ts';\n");
  const bad = await run();
  assert.deepEqual(bad, {
    code: 1,
    output: 'packages/server/src/access/caller.ts:2 layer-direction: access may not import app (../app.ts).\n',
  });
});
