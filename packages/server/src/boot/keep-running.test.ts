import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepRunning, type RunningPart } from './keep-running.ts';

const log = { error: () => undefined, warn: () => undefined };
const pace = { firstMs: 1, longestMs: 2, mostFailures: 3, healthyAfterMs: 60_000 };
const rest = { name: 'The part', isDiskFull: async () => false, log, pace };

interface Part extends RunningPart {
  end(): void;
}

function newPart(): Part {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { ended: promise, end: () => resolve() };
}

test('a part that ends is restarted', async () => {
  const parts: Part[] = [];
  const start = async () => {
    const part = newPart();
    parts.push(part);
    return part;
  };
  const kept = await keepRunning<Part>({ ...rest, start, onGivenUp: assert.fail });
  parts[0]?.end();
  while (parts.length < 2 || kept.missing() !== undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(kept.current, parts[1]);
  await kept.stopKeeping();
});

test('stopping during a start waits for that start and then returns', async () => {
  const first = newPart();
  const second = newPart();
  const starting = Promise.withResolvers<Part>();
  const asked = Promise.withResolvers<void>();
  const start = (previous: Part | undefined): Promise<Part> => {
    if (previous === undefined) return Promise.resolve(first);
    asked.resolve();
    return starting.promise;
  };
  const kept = await keepRunning<Part>({ ...rest, start, onGivenUp: assert.fail });
  first.end();
  await asked.promise;
  const stopped = kept.stopKeeping();
  starting.resolve(second);
  await stopped;
  assert.equal(kept.current, second, 'the caller closes the part that was started last');
});

test('a part that cannot be started is given up after a bounded number of tries', async () => {
  const first = newPart();
  const givenUp = Promise.withResolvers<Error>();
  let tries = 0;
  const start = async (previous: Part | undefined): Promise<Part> => {
    if (previous === undefined) return first;
    tries += 1;
    throw new Error('no such file');
  };
  const kept = await keepRunning<Part>({ ...rest, start, onGivenUp: givenUp.resolve });
  first.end();
  assert.match((await givenUp.promise).message, /could not be started again: no such file/);
  assert.deepEqual([tries, kept.missing()], [3, 'cannot be started']);
});
