import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { openSigningKeys } from './signing-keys.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-keys-'));
});
after(() => rm(folder, { recursive: true }));

/** Starts a process that loads the module, and opens the keys on command. */
async function startOpener(keyFile: string): Promise<{ open(): Promise<string> }> {
  const script = `
    import { openSigningKeys } from ${JSON.stringify(new URL('signing-keys.ts', import.meta.url).href)};
    process.stdin.once('data', async () => {
      const keys = await openSigningKeys(${JSON.stringify(keyFile)});
      process.stdout.write((await keys.getCurrent()).kid, () => process.exit(0));
    });
    process.stdout.write('loaded');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [loaded] = await once(child.stdout, 'data');
  assert.equal(String(loaded), 'loaded');
  return {
    async open() {
      child.stdin.write('go');
      const [kid] = await once(child.stdout, 'data');
      return String(kid);
    },
  };
}

test('processes that first start at the same time share one signing key', async () => {
  const keyFile = join(folder, 'processes.json');
  const openers = await Promise.all([startOpener(keyFile), startOpener(keyFile), startOpener(keyFile)]);
  const kids = await Promise.all(openers.map((opener) => opener.open()));
  assert.equal(new Set(kids).size, 1);
  assert.match(kids[0] ?? '', /^[A-Za-z0-9_-]{43}$/);
});

test('many first starts in one process share one signing key and leave only its file', async () => {
  const keyFile = join(folder, 'many', 'deep', 'idp.json');
  const opened = await Promise.all(Array.from({ length: 12 }, () => openSigningKeys(keyFile)));
  const kids = await Promise.all(opened.map(async (keys) => (await keys.getCurrent()).kid));
  assert.equal(new Set(kids).size, 1);
  assert.equal(new Set(opened.map((keys) => keys.sharedSecret.toString('hex'))).size, 1);
  assert.deepEqual(await readdir(join(folder, 'many', 'deep')), ['idp.json']);
});

test('only the file owner can read the signing key', async () => {
  const keyFile = join(folder, 'private.json');
  await openSigningKeys(keyFile);
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
});

test('the id of a signing key is its RFC 7638 thumbprint', async () => {
  const keys = await openSigningKeys(join(folder, 'thumbprint.json'));
  const { kid, publicJwk } = await keys.getCurrent();
  assert.equal(kid, await calculateJwkThumbprint(publicJwk));
});

test('parallel rotations lose no signing key, and every process sees all keys with the same current one', async () => {
  const keyFile = join(folder, 'rotated.json');
  const one = await openSigningKeys(keyFile);
  const two = await openSigningKeys(keyFile);
  const { kid: first } = await one.getCurrent();
  await Promise.all([one.rotate(), two.rotate(), one.rotate(), two.rotate()]);
  const published = await one.listPublic();
  assert.equal(new Set(published.map((key) => key.kid)).size, 5);
  assert.equal(published.at(-1)?.kid, first);
  assert.deepEqual(await two.listPublic(), published);
  assert.deepEqual(await (await openSigningKeys(keyFile)).listPublic(), published);
  assert.equal((await two.getCurrent()).kid, published[0]?.kid);
});

test('a damaged signing key file is reported, not replaced', async () => {
  for (const text of ['', '{}', '{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"c"}']) {
    const keyFile = join(folder, 'damaged.json');
    await writeFile(keyFile, text);
    await assert.rejects(openSigningKeys(keyFile), /damaged\.json does not hold an ES256 private key/);
  }
});
