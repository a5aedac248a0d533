import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Config } from '../config.ts';
import { openSigningKeys } from './open-signing-keys.ts';

const hex = '5a'.repeat(32);
const base64 = Buffer.alloc(32, 7).toString('base64');

suite('the keys that sign offers and receipts', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'market-keys-'));
  });
  after(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  const open = async (profile: Config['profile'], current?: string, previous: readonly string[] = []): Promise<readonly string[]> => {
    const keys = await openSigningKeys({ profile, dataDir, x402: { signingKeys: { current, previous } } } as unknown as Config);
    return keys.map(({ id }) => id);
  };

  test('the sandbox creates one signing key that all its processes share', async () => {
    const [first, second] = await Promise.all([open('sandbox'), open('sandbox')]);
    assert.equal(first?.length, 1);
    assert.deepEqual(second, first);
  });

  test('production uses only the configured signing key, in any format', async () => {
    assert.deepEqual(await open('production'), []);
    const file = path.join(dataDir, 'signing');
    await writeFile(file, `${hex}\n`);
    const [ofFile] = await open('production', `file:${file}`);
    const [ofText, former] = await open('production', hex, [base64]);
    assert.equal(ofFile, ofText);
    assert.deepEqual(await open('production', base64), [former]);
  });

  test('an invalid signing key is refused by the name of its setting, without its value', async () => {
    for (const bad of ['5a5a5a', `${hex}5a`, 'not a key at all']) {
      await assert.rejects(
        open('production', bad),
        (error: Error) => /X402_SIGNING_KEY/.test(error.message) && !error.message.includes(bad),
      );
    }
  });
});
