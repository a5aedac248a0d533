import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../../../../test/harness/database.ts';
import { migrate } from './migrate.ts';

const silent = () => undefined;
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function migrationFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'market-migrations-'));
  folders.push(folder);
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql);
  return folder;
}

async function withDatabase(work: (url: string, pool: pg.Pool) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ empty: true });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  try {
    await work(database.url, pool);
  } finally {
    await pool.end();
    await database.drop();
  }
}

const first = { '0001_items.sql': '-- why: something to keep\nCREATE TABLE items (n int);\nINSERT INTO items VALUES (1);\n' };
const second = { '0002_more.sql': '-- why: one more row\nINSERT INTO items VALUES (2);\n' };

test('C21: four processes migrating at once apply every migration exactly once', async () => {
  await withDatabase(async (url, pool) => {
    const slow = { '0003_slow.sql': '-- why: keeps the lock for a while\nSELECT pg_sleep(0.3);\nINSERT INTO items VALUES (3);\n' };
    const folder = migrationFolder({ ...first, ...second, ...slow });
    const pools = Array.from({ length: 4 }, () => new pg.Pool({ connectionString: url, max: 1, statement_timeout: 100 }));
    const results = await Promise.all(pools.map((each) => migrate(each, folder, silent)));
    await Promise.all(pools.map((each) => each.end()));
    assert.deepEqual(results.flatMap((result) => result.applied).sort(), ['0001_items.sql', '0002_more.sql', '0003_slow.sql']);
    assert.equal((await pool.query('SELECT string_agg(n::text, $1 ORDER BY n) AS all FROM items', [','])).rows[0].all, '1,2,3');
    assert.equal((await pool.query('SELECT count(*)::int AS n FROM schema_migrations')).rows[0].n, 3);
  });
});

test('C21: a migration that fails midway leaves nothing, names its line, and succeeds once corrected', async () => {
  await withDatabase(async (_url, pool) => {
    const broken = {
      '0002_broken.sql': '-- why: fails at its second statement\nCREATE TABLE half (n int);\nINSERT INTO nowhere VALUES (1);\n',
    };
    const folder = migrationFolder({ ...first, ...broken });
    await assert.rejects(
      migrate(pool, folder, silent),
      /Migration 0002_broken\.sql failed at line 3: .*nowhere.*Nothing of it was applied/,
    );
    const { rows } = await pool.query("SELECT to_regclass('half') AS half, (SELECT max(version) FROM schema_migrations) AS version");
    assert.deepEqual(rows, [{ half: null, version: 1 }]);
    writeFileSync(join(folder, '0002_broken.sql'), '-- why: mended\nCREATE TABLE half (n int);\n');
    assert.deepEqual(await migrate(pool, folder, silent), { applied: ['0002_broken.sql'] });
    assert.deepEqual(await migrate(pool, folder, silent), { applied: [] });
  });
});

test('C21: a migration that crashes before it is recorded leaves nothing and is applied completely by the next start', async () => {
  await withDatabase(async (_url, pool) => {
    const dying = { '0002_dies.sql': '-- why: dies at its end\nCREATE TABLE half (n int);\n' };
    await migrate(pool, migrationFolder(first), silent);
    // The connection ends between the migration and its record.
    await pool.query(
      `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`,
    );
    await pool.query('CREATE TRIGGER dies BEFORE INSERT ON schema_migrations FOR EACH ROW EXECUTE FUNCTION die()');
    const folder = migrationFolder({ ...first, ...dying });
    await assert.rejects(migrate(pool, folder, silent), /0002_dies\.sql failed/);
    assert.equal((await pool.query("SELECT to_regclass('half') AS half")).rows[0].half, null);
    await pool.query('DROP FUNCTION die() CASCADE');
    assert.deepEqual(await migrate(pool, folder, silent), { applied: ['0002_dies.sql'] });
  });
});

test('an applied migration that was edited or renamed is refused; other line endings are accepted', async () => {
  await withDatabase(async (_url, pool) => {
    await migrate(pool, migrationFolder(first), silent);
    const [sql = ''] = Object.values(first);
    const edited = migrationFolder({ '0001_items.sql': `${sql}INSERT INTO items VALUES (9);\n` });
    await assert.rejects(migrate(pool, edited, silent), /0001_items\.sql was changed after it was applied/);
    await assert.rejects(migrate(pool, migrationFolder({ '0001_renamed.sql': sql }), silent), /applied as 0001_items\.sql/);
    const otherLineEnds = migrationFolder({ '0001_items.sql': sql.replaceAll('\n', '\r\n') });
    assert.deepEqual(await migrate(pool, otherLineEnds, silent), { applied: [] });
  });
});

test('a migration that names the checksum of an earlier form is taken for it, and for no other', async () => {
  await withDatabase(async (_url, pool) => {
    await migrate(pool, migrationFolder(first), silent);
    const [sql = ''] = Object.values(first);
    const naming = (text: string) => `${sql}-- formerly: ${createHash('sha256').update(text).digest('hex')}\n`;
    assert.deepEqual(await migrate(pool, migrationFolder({ '0001_items.sql': naming(sql) }), silent), { applied: [] });
    await assert.rejects(
      migrate(pool, migrationFolder({ '0001_items.sql': naming('another') }), silent),
      /was changed after it was applied/,
    );
  });
});

test('a database newer than the code is refused', async () => {
  await withDatabase(async (_url, pool) => {
    await migrate(pool, migrationFolder({ ...first, ...second }), silent);
    await assert.rejects(migrate(pool, migrationFolder(first), silent), /newer than this code.*0002_more\.sql/);
  });
});

test('files without a reason, with an invalid number or name, or with their own transactions are refused before anything runs', async () => {
  await withDatabase(async (_url, pool) => {
    const refused: [Record<string, string>, RegExp][] = [
      [{ '0001_items.sql': 'CREATE TABLE items (n int);' }, /must begin with a line "-- why/],
      [{ '0002_items.sql': '-- why: a gap\nSELECT 1;' }, /should have number 0001/],
      [{ ...first, '0001_other.sql': '-- why: a double\nSELECT 1;' }, /should have number 0002/],
      [{ 'items.sql': '-- why: no number\nSELECT 1;' }, /not named like/],
      [{ ...first, '0002_commit.sql': '-- why: ends the transaction\nINSERT INTO items VALUES (2);\nCOMMIT;\n' }, /contains "COMMIT;"/],
    ];
    for (const [files, reason] of refused) await assert.rejects(migrate(pool, migrationFolder(files), silent), reason);
    assert.equal((await pool.query("SELECT to_regclass('items') AS items")).rows[0].items, null);
    const withFunction = '-- why: bodies of functions have BEGIN and END\nDO $$\nBEGIN\n  PERFORM 1;\nEND;\n$$;\n';
    assert.deepEqual(await migrate(pool, migrationFolder({ '0001_function.sql': withFunction }), silent), {
      applied: ['0001_function.sql'],
    });
  });
});
