import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createSecretBox, SecretUnreadableError } from './secret-box.ts';

const oldMaster = Buffer.alloc(32, 1);
const newMaster = Buffer.alloc(32, 2);
const context = 'agents/ext_1700000000000_k3v9x1q7a/api_key';
const box = createSecretBox({ current: newMaster, previous: [oldMaster] });
const oldBox = createSecretBox({ current: oldMaster, previous: [] });

const wellFormedText = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed());

describe('sealing', () => {
  test('any sealed text opens unchanged under its own context', () => {
    fc.assert(
      fc.property(wellFormedText, fc.string(), (text, anyContext) => {
        assert.equal(box.open(box.seal(text, anyContext), anyContext), text);
      }),
    );
  });

  test('a large sealed text opens unchanged', () => {
    const text = randomBytes(300_000).toString('hex');
    assert.equal(box.open(box.seal(text, context), context), text);
  });

  test('the sealed text reveals neither the secret nor its context, and differs every time', () => {
    const sealed = new Set(Array.from({ length: 500 }, () => box.seal('market_secret', context)));
    assert.equal(sealed.size, 500);
    for (const text of sealed) {
      assert.match(text, /^v1\.[\w-]{8}\.[\w-]{80}\.[\w-]+$/);
      const bytes = Buffer.from(text.split('.').at(-1) ?? '', 'base64url').toString('latin1');
      assert.ok(!bytes.includes('market_secret') && !text.includes('agents'));
    }
  });

  test('K03: no nonce repeats, in the wrapping or in the data', () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 5000; count++) {
      const [, , wrapped, data] = box.seal('x', context).split('.');
      nonces.add(String(wrapped).slice(0, 16)).add(String(data).slice(0, 16));
    }
    assert.equal(nonces.size, 10_000);
  });

  test('text that UTF-8 cannot encode is refused instead of stored altered', () => {
    assert.throws(() => box.seal('half \ud800', context), TypeError);
  });
});

describe('opening altered or moved text', () => {
  test('changing any one character of a sealed text makes it unreadable', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= \n\0é';
    fc.assert(
      fc.property(wellFormedText, fc.nat(), fc.constantFrom(...alphabet), (text, position, character) => {
        const sealed = box.seal(text, context);
        const at = position % sealed.length;
        fc.pre(sealed[at] !== character);
        const altered = sealed.slice(0, at) + character + sealed.slice(at + 1);
        assert.throws(() => box.open(altered, context), SecretUnreadableError);
      }),
      { numRuns: 500 },
    );
  });

  test('every position of a sealed text is protected, for every remainder of the base64 length', () => {
    for (const text of ['', 'a', 'ab', 'abc']) {
      const sealed = box.seal(text, context);
      for (let at = 0; at < sealed.length; at++) {
        for (const character of ['A', 'B', '_', '.']) {
          if (sealed[at] === character) continue;
          const altered = sealed.slice(0, at) + character + sealed.slice(at + 1);
          assert.throws(() => box.open(altered, context), SecretUnreadableError, `position ${at} of "${sealed}"`);
        }
      }
    }
  });

  test('a cut, lengthened or foreign sealed text is unreadable', () => {
    const sealed = box.seal('secret', context);
    const [version, keyId, wrapped, data] = sealed.split('.');
    const damaged = [
      '',
      '....',
      'v1...',
      sealed.slice(0, -1),
      `${sealed}A`,
      `${sealed}=`,
      `${sealed}.`,
      ` ${sealed}`,
      `${sealed}\n`,
      [version, keyId, wrapped].join('.'),
      [version, keyId, wrapped, ''].join('.'),
      [version, keyId, '', data].join('.'),
      [version, keyId, data, wrapped].join('.'),
      ['v2', keyId, wrapped, data].join('.'),
    ];
    for (const text of damaged) assert.throws(() => box.open(text, context), SecretUnreadableError, JSON.stringify(text));
  });

  test('a sealed text does not open in another context', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (mine, other) => {
        fc.pre(mine !== other);
        assert.throws(() => box.open(box.seal('secret', mine), other), SecretUnreadableError);
      }),
    );
  });

  test('the key of one record does not open the data of another, even in the same context', () => {
    const [version, keyId, wrapped] = box.seal('first', context).split('.');
    const data = box.seal('second', context).split('.').at(-1);
    assert.throws(() => box.open([version, keyId, wrapped, data].join('.'), context), SecretUnreadableError);
  });

  test('the error for an unreadable text contains neither the secret nor any key', () => {
    const sealed = box.seal('market_secret', context);
    assert.throws(
      () => box.open(sealed, 'elsewhere'),
      (error: Error) => error.name === 'SecretUnreadableError' && !/market_secret|0202|AgIC/.test(`${error.stack} ${error.cause}`),
    );
  });
});

describe('master key rotation', () => {
  test('a text sealed under an older master key still opens, and a missing key is named', () => {
    const sealed = oldBox.seal('secret', context);
    assert.equal(box.open(sealed, context), 'secret');
    assert.throws(() => createSecretBox({ current: newMaster, previous: [] }).open(sealed, context), /master key that is not configured/);
  });

  test('rewrapping moves a text to the current key without changing the encrypted data', () => {
    fc.assert(
      fc.property(wellFormedText, (text) => {
        const sealed = oldBox.seal(text, context);
        const rewrapped = box.rewrap(sealed, context);
        assert.equal(rewrapped.split('.')[3], sealed.split('.')[3]);
        assert.equal(createSecretBox({ current: newMaster, previous: [] }).open(rewrapped, context), text);
        assert.throws(() => oldBox.open(rewrapped, context), SecretUnreadableError);
      }),
    );
  });

  test('rewrapping a current text changes nothing, so rotation can be repeated', () => {
    const sealed = box.seal('secret', context);
    assert.equal(box.rewrap(sealed, context), sealed);
  });

  test('rewrapping refuses another context and an altered wrapping', () => {
    const sealed = oldBox.seal('secret', context);
    assert.throws(() => box.rewrap(sealed, 'elsewhere'), SecretUnreadableError);
    const wrapAt = sealed.split('.').slice(0, 2).join('.').length + 20;
    const altered = sealed.slice(0, wrapAt) + (sealed[wrapAt] === 'A' ? 'B' : 'A') + sealed.slice(wrapAt + 1);
    assert.throws(() => box.rewrap(altered, context), SecretUnreadableError);
  });
});

describe('lookup hashes', () => {
  test('a value has one 32-byte lookup hash per master key, the current one first, the same in every process', () => {
    const hashes = box.lookupHashes('market_abc');
    assert.equal(hashes.length, 2);
    assert.deepEqual(hashes[0], createSecretBox({ current: newMaster, previous: [] }).lookupHashes('market_abc')[0]);
    assert.deepEqual(hashes[1], oldBox.lookupHashes('market_abc')[0]);
    assert.equal(hashes[0]?.length, 32);
  });

  test('different values have different lookup hashes', () => {
    assert.notDeepEqual(box.lookupHashes('market_abc')[0], box.lookupHashes('market_abd')[0]);
  });

  test('a master key listed twice counts once', () => {
    assert.equal(createSecretBox({ current: newMaster, previous: [newMaster, oldMaster, oldMaster] }).lookupHashes('x').length, 2);
  });
});

test('a master key of any other length is refused at start', () => {
  for (const length of [0, 16, 31, 33, 64]) {
    assert.throws(() => createSecretBox({ current: Buffer.alloc(length), previous: [] }), /32 bytes/);
    assert.throws(() => createSecretBox({ current: newMaster, previous: [Buffer.alloc(length)] }), /32 bytes/);
  }
});
