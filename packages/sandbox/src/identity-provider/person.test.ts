import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveUserId, type PersonInput, type PersonWallet, readPerson } from './person.ts';

test('a user id is derived from the e-mail address and never changes', () => {
  assert.equal(deriveUserId('ines@example.com'), 'usr_24c37dfc57186d76008e339d');
});

test('fields of a person are normalised and empty ones omitted', () => {
  const person = readPerson({ email: ' Ines@Example.COM ', name: '  Ines ', twitter_username: '@ines_d', admin: true });
  assert.deepEqual(person, { email: 'ines@example.com', name: 'Ines', twitter_username: 'ines_d' });
  assert.deepEqual(readPerson({ email: 'a@b', name: ' ', twitter_username: '@' }), { email: 'a@b' });
});

test('an invalid field of a person is refused and named', () => {
  const email = 'ines@example.com';
  const wallet = (chain: string, address: string) => ({ chain, address }) as PersonWallet;
  const refused: [PersonInput, keyof PersonInput][] = [
    [{ email: '' }, 'email'],
    [{ email: 'ines' }, 'email'],
    [{ email: 'ines@' }, 'email'],
    [{ email: 'in es@example.com' }, 'email'],
    [{ email: 'ines@example.com\nbcc:x@y' }, 'email'],
    [{ email: 'ınes@example.com' }, 'email'],
    [{ email: `${'x'.repeat(65)}@example.com` }, 'email'],
    [{ email: `ines@${'x'.repeat(250)}` }, 'email'],
    [{ email, name: 'x'.repeat(101) }, 'name'],
    [{ email, name: 'a\u0000b' }, 'name'],
    [{ email, twitter_username: 'sixteen_letters_' }, 'twitter_username'],
    [{ email, twitter_username: 'a b' }, 'twitter_username'],
    [{ email, wallets: [wallet('base', '0x123')] }, 'wallets'],
    [{ email, wallets: [wallet('solana', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')] }, 'wallets'],
    [{ email, wallets: [wallet('constructor', 'x')] }, 'wallets'],
    [{ email, wallets: Array.from({ length: 21 }, () => wallet('base', `0x${'0'.repeat(40)}`)) }, 'wallets'],
  ];
  for (const [input, field] of refused)
    assert.throws(() => readPerson(input), { name: 'InvalidPersonError', field }, JSON.stringify(input));
});
