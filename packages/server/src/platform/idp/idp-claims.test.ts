import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readIdpIdentity } from './idp-claims.ts';

const rule = { adminEmails: ['Kate@Example.com'], trustAdminClaim: false };
const solana = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';
const evm = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

function read(claims: Record<string, unknown>, adminRule = rule) {
  const identity = readIdpIdentity({ sub: 'usr_1', ...claims }, adminRule);
  assert.ok(identity);
  return identity;
}

test('a full profile is read, and only the subject is required', () => {
  assert.deepEqual(
    read({
      email: 'Ines@example.com',
      email_verified: true,
      google_email: 'ines@gmail.com',
      google_subject: '1099',
      name: '  Ines \n Ruiz ',
      twitter_username: '@Ines_R',
      twitter_subject: '44196397',
      picture: 'https://cdn.example.com/a.png',
      wallets: [{ chain: 'base', address: evm.toLowerCase() }],
    }),
    {
      userId: 'usr_1',
      email: 'Ines@example.com',
      emailVerified: true,
      googleEmail: 'ines@gmail.com',
      googleSubject: '1099',
      name: 'Ines Ruiz',
      twitterUsername: 'ines_r',
      twitterSubject: '44196397',
      avatarUrl: 'https://cdn.example.com/a.png',
      wallets: [{ chain: 'base', address: evm }],
      admin: false,
    },
  );
  const bare = read({});
  assert.deepEqual([bare.email, bare.emailVerified, bare.name, bare.wallets, bare.admin], [undefined, false, undefined, [], false]);
});

test('a subject is 1 to 128 visible ASCII characters; a token with any other subject gives no identity', () => {
  for (const sub of ['a', 'did:privy:cl9x', 'auth0|5f7c', 'x'.repeat(128)]) assert.equal(readIdpIdentity({ sub }, rule)?.userId, sub);
  for (const sub of [undefined, null, '', 7, {}, ['a'], 'x'.repeat(129), 'a b', 'a\n', 'a\0', 'é', '\u200b']) {
    assert.equal(readIdpIdentity({ sub }, rule), undefined, JSON.stringify(sub));
  }
  for (const claims of [null, undefined, 'text', 7, []]) assert.equal(readIdpIdentity(claims, rule), undefined);
});

test('a malformed claim is omitted and the person can still sign in', () => {
  const junk: Record<string, readonly unknown[]> = {
    email: [7, '', 'no-at', 'two@at@x', 'a b@x.com', 'a\0@x.com', '@x.com', 'a@', `${'a'.repeat(250)}@x.com`],
    google_email: [{}, 'none'],
    name: ['', ' \n ', '\u200b\u202e', 7, {}],
    twitter_username: ['', '@', 'sixteen_letters_', 'a b', 'ines-r', 'ｉnes', '\u212Aate', 7],
    twitter_subject: [44196397, '', 'a b', 'x'.repeat(129)],
    google_subject: [1, ''],
    picture: [
      'http://x.com/a.png',
      'javascript:alert(1)',
      'data:image/png;base64,AA',
      '//x.com/a',
      'not a url',
      7,
      `https://x.com/${'a'.repeat(2048)}`,
    ],
    wallets: ['text', 7, null, { chain: 'base', address: evm }],
  };
  const empty = read({});
  for (const [claim, values] of Object.entries(junk)) {
    for (const value of values) assert.deepEqual(read({ [claim]: value }), empty, `${claim}: ${JSON.stringify(value)}`);
  }
});

test('text that would deceive a reader or break the database is cleaned', () => {
  assert.equal(read({ name: 'A\u0000da\u202e \ud800Lovelace\u200b' }).name, 'Ada Lovelace');
  assert.equal(read({ name: '😀'.repeat(150) }).name, '😀'.repeat(100));
  assert.equal(read({ picture: 'https://x.com/a\u0000b' }).avatarUrl, 'https://x.com/a%00b');
});

test('claims of any shape never throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('sub', 'email', 'email_verified', 'name', 'twitter_username', 'picture', 'wallets', 'market_admin', '__proto__'),
        fc.jsonValue(),
      ),
      (claims) => {
        const identity = readIdpIdentity(claims, rule);
        assert.equal(identity === undefined || identity.admin === false, true);
      },
    ),
  );
});

describe('wallets', () => {
  test('wallets of a profile are canonical, unique, and without invalid entries', () => {
    const { wallets } = read({
      wallets: [
        { chain: 'solana', address: solana },
        { chain: 'base', address: evm.toLowerCase() },
        { chain: 'base', address: evm },
        { chain: 'solana', address: evm },
        { chain: 'bitcoin', address: solana },
        { chain: 'base' },
        { chain: 'solana', address: 'z'.repeat(44) },
        null,
        'text',
      ],
    });
    assert.deepEqual(wallets, [
      { chain: 'solana', address: solana },
      { chain: 'base', address: evm },
    ]);
  });

  test('at most twenty wallets of a profile count', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ chain: 'base', address: `0x${index.toString(16).padStart(40, '0')}` }));
    assert.equal(read({ wallets: many }).wallets.length, 20);
  });
});

describe('administrators', () => {
  test('an administrator is named by a verified e-mail, in any letter case', () => {
    assert.equal(read({ email: 'kate@example.com', email_verified: true }).admin, true);
    assert.equal(read({ email: 'KATE@EXAMPLE.COM', email_verified: 'true' }).admin, true);
  });

  test('an unverified, other, look-alike or second e-mail names no administrator', () => {
    for (const claims of [
      { email: 'kate@example.com' },
      { email: 'kate@example.com', email_verified: false },
      { email: 'kate@example.com', email_verified: 'yes' },
      { email: 'kate@example.com', email_verified: 1 },
      { email: 'mallory@example.com', email_verified: true },
      { email: '\u212Aate@example.com', email_verified: true },
      { email: ['kate@example.com'], email_verified: true },
      { google_email: 'kate@example.com', email_verified: true },
      { email_verified: true },
    ]) {
      assert.equal(read(claims).admin, false, JSON.stringify(claims));
    }
  });

  test('an empty list names no administrator', () => {
    assert.equal(read({ email: 'kate@example.com', email_verified: true }, { adminEmails: [], trustAdminClaim: false }).admin, false);
  });

  test('the claim market_admin names an administrator only if it is true and the provider is trusted with it', () => {
    const trusting = { adminEmails: [], trustAdminClaim: true };
    assert.equal(read({ market_admin: true }).admin, false);
    assert.equal(read({ market_admin: true }, trusting).admin, true);
    for (const value of ['true', 1, {}, null, false]) assert.equal(read({ market_admin: value }, trusting).admin, false);
  });
});
