// Migration files of a folder: numbered without gaps, each with its reason on the first line.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MigrationFile {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /** Checksums of earlier forms, which did the same to the databases they were applied to. */
  readonly former: readonly string[];
}

export function readMigrationFiles(folder: string): MigrationFile[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => readMigrationFile(folder, name, index + 1));
}

function readMigrationFile(folder: string, name: string, expectedVersion: number): MigrationFile {
  const version = Number(/^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]);
  if (Number.isNaN(version)) throw new Error(`${name} is not named like 0001_what_it_does.sql.`);
  if (version !== expectedVersion) {
    throw new Error(
      `${name} should have number ${String(expectedVersion).padStart(4, '0')}: migrations are numbered without gaps or doubles.`,
    );
  }
  // A checkout with other line endings is the same migration.
  const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
  if (!/^-- why: \S/.test(sql)) throw new Error(`${name} must begin with a line "-- why: …" that says what it is for.`);
  const own = /^[ \t]*(begin|start[ \t]+transaction|commit|end|rollback)[ \t]*;/im.exec(maskQuotedBodies(sql));
  if (own !== null) throw new Error(`${name} contains "${own[0].trim()}". Remove it: every migration already runs in its own transaction.`);
  const former = [...sql.matchAll(/^-- formerly: ([0-9a-f]{64})$/gm)].map(([, checksum = '']) => checksum);
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), former };
}

/** Hides function bodies, whose BEGIN and END are not about transactions. */
function maskQuotedBodies(sql: string): string {
  return sql.replace(/(\$\w*\$)[\s\S]*?\1/g, (body) => body.replace(/[^\n]/g, ' '));
}
