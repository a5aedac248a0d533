import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { createLocalSolanaSigner } from './solana-signer.ts';

// RFC 8032, test 1.
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const BOTH = Buffer.from(SEED + PUBLIC, 'hex');
const ADDRESS = base58.encode(Buffer.from(PUBLIC, 'hex'));

test('the same key in each of its spellings signs for the same address', async () => {
  for (const secret of [SEED, `0x${SEED}`, base58.encode(BOTH), JSON.stringify([...BOTH]), ` ${SEED}\n`]) {
    const signer = createLocalSolanaSigner(secret);
    assert.equal(signer.address, ADDRESS);
    const signature = await signer.signMessage(Buffer.from('hello'));
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(PUBLIC, 'hex')]);
    assert.equal(verify(null, Buffer.from('hello'), createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature), true);
  }
});

test('a damaged key is refused with an error that does not contain it', () => {
  const swapped = Buffer.from(PUBLIC + SEED, 'hex');
  const damaged = [
    '',
    'word',
    SEED.slice(1),
    base58.encode(swapped),
    JSON.stringify([...swapped]),
    JSON.stringify([...BOTH, 1]),
    '[1, 2',
    `${base58.encode(BOTH)}!`,
    'z'.repeat(100_000),
  ];
  for (const secret of damaged) {
    assert.throws(
      () => createLocalSolanaSigner(secret),
      (error: Error) => {
        assert.match(error.message, /^The Solana key /);
        assert.ok(secret.length < 8 || !inspect(error).includes(secret.slice(0, 8)));
        return true;
      },
    );
  }
});

test('a printed signer shows its address and nothing of its key', () => {
  const signer = createLocalSolanaSigner(SEED);
  const shown = inspect(signer, { depth: 9, showHidden: true }) + JSON.stringify(signer);
  assert.ok(shown.includes(ADDRESS));
  for (const secret of [SEED, base58.encode(BOTH), BOTH.toString('base64').slice(0, 20), '9d 61 b1']) assert.ok(!shown.includes(secret));
});
