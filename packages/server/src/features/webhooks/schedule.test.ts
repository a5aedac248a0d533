import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitAfterFailure } from './schedule.ts';

test('attempt 2 follows one second after a failure, attempt 3 four seconds after that, and there is no fourth', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((failed) => waitAfterFailure(failed, false)),
    [1, 4, undefined, undefined],
  );
});

test('extended retries continue for a day after the same start', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((failed) => waitAfterFailure(failed, true)),
    [1, 4, 60, 600, 3_600, 21_600, 86_400, undefined],
  );
});
