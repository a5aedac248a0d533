import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createCommandHolder, openMasterKeyHolder } from './master-keys.ts';
import { createSecretBox } from './secret-box.ts';

const [NEW, OLD] = ['b2'.repeat(32), 'a1'.repeat(32)];

test('K04: a key service returns the current key first and former ones after it', async () => {
  const { current, previous } = await createCommandHolder(`echo ${NEW}; echo ${Buffer.from(OLD, 'hex').toString('base64')}`).readKeys();
  const sealed = createSecretBox({ current: Buffer.from(OLD, 'hex'), previous: [] }).seal('secret', 'row');
  assert.equal(createSecretBox({ current, previous }).open(sealed, 'row'), 'secret');
  assert.equal(current.toString('hex'), NEW);
});

test('K04, K07: a key service that fails, prints nothing or prints no key keeps the service from starting, and its output is not repeated', async () => {
  for (const command of [`echo ${NEW}; exit 3`, 'true', `echo ${NEW}0`, 'no-such-program']) {
    await assert.rejects(createCommandHolder(command).readKeys(), (error: Error) => {
      assert.match(error.message, /^MASTER_KEY_COMMAND /);
      assert.ok(!`${error.message}${error.stack}`.includes(NEW));
      return true;
    });
  }
});

test('without a key service the settings or a file of the data folder hold the key', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-keys-'));
  try {
    const given = openMasterKeyHolder({ dataDir, masterKey: { current: Buffer.from(NEW, 'hex'), previous: [], command: undefined } });
    assert.equal((await given.readKeys()).current.toString('hex'), NEW);
    const made = openMasterKeyHolder({ dataDir, masterKey: { current: undefined, previous: [], command: undefined } });
    assert.deepEqual(await made.readKeys(), await made.readKeys());
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
