import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStreamPlaces } from './stream-places.ts';

test('one caller and all together are held to their bounds, and a place given back once is free once', () => {
  const places = createStreamPlaces({ perCaller: 2, total: 3 });
  const giveBack = places.take('agent:a');
  places.take('agent:a');
  assert.throws(() => places.take('agent:a'), { code: 'too_many_streams' });
  places.take('agent:b');
  assert.throws(() => places.take('agent:c'), { code: 'streams_full' });
  giveBack();
  giveBack();
  assert.equal(places.taken, 2);
  places.take('agent:a');
  assert.throws(() => places.take('agent:c'), { code: 'streams_full' });
});
