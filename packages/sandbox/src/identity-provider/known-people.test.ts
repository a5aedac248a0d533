import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKnownPeople } from './known-people.ts';

test('a person’s fields stay until set anew, and beyond the limit the person unseen for longest is dropped', () => {
  const people = createKnownPeople();
  people.remember({ email: 'old@example.com', name: 'Old' });
  people.remember({ email: 'kept@example.com', name: 'Kept', twitter_username: 'kept' });
  for (let index = 0; index < 9_998; index += 1) people.remember({ email: `${index}@example.com` });
  assert.deepEqual(people.remember({ email: 'kept@example.com', name: 'Kim' }), {
    email: 'kept@example.com',
    name: 'Kim',
    twitter_username: 'kept',
  });
  people.remember({ email: 'one-too-many@example.com' });
  assert.deepEqual(people.remember({ email: 'old@example.com' }), { email: 'old@example.com' });
  assert.equal(people.remember({ email: 'kept@example.com' }).name, 'Kim');
});
