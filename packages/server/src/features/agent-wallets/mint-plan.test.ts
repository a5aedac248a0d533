import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenName } from './mint-plan.ts';

test('the name of a token is the agent’s name with the suffix once', () => {
  assert.equal(tokenName('Tallyrook', 'Mercato'), 'Tallyrook by Mercato');
  assert.equal(tokenName('Tallyrook by Mercato', 'Mercato'), 'Tallyrook by Mercato');
  assert.equal(tokenName('Tallyrook BY MERCATO', 'Mercato'), 'Tallyrook by Mercato');
});

test('a long name is cut between characters so that name and suffix fit 32 characters and 64 bytes', () => {
  for (const name of ['An agent with a very long name indeed', '漢'.repeat(40), '🜁'.repeat(40), 'a b '.repeat(20)]) {
    const made = tokenName(name, 'Mercato');
    assert.ok(made.length <= 32 && Buffer.byteLength(made) <= 64, made);
    assert.ok(made.endsWith(' by Mercato') && !made.includes('  '), made);
    assert.equal(Buffer.from(made).toString(), made, 'no half character');
  }
  assert.ok(tokenName('Tallyrook', 'A marketplace with an unusually long name').length <= 32);
});
