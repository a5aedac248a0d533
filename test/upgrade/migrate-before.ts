/** Brings a database to the state of an earlier release. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';

const MIGRATIONS = path.join(import.meta.dirname, '../../packages/server/migrations');

/** Applies the migrations that come before `first`, such as `0082`; all of them without it. */
export async function migrateBefore(pool: pg.Pool, first = '9999'): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  try {
    for (const file of await readdir(MIGRATIONS)) if (file < first) await cp(path.join(MIGRATIONS, file), path.join(folder, file));
    await migrate(pool, folder, () => undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
}
