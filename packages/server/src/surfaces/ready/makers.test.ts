import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { DataVersions } from '../../platform/versions/data-versions.ts';
import { newestVersions } from '../../platform/versions/newest-versions.ts';
import { createMakers, type MadeAnswer, type ReadyOutcome } from './makers.ts';
import { createReadyStore } from './ready-store.ts';

const versions = (changes: number): DataVersions => ({ epoch: '1', changesOf: () => changes });
const made = (text: string, ms = 1_000): MadeAnswer => ({
  status: 200,
  headers: {},
  body: Buffer.from(text),
  rule: { tables: ['services'], maxAge: { ms, why: 'a test' } },
});

function setUp() {
  const newest = newestVersions();
  const outcomes: ReadyOutcome[] = [];
  const makers = createMakers({ store: createReadyStore(1_000_000), newest, onOutcome: (outcome) => outcomes.push(outcome) });
  const ask = (changes: number) => {
    const request = {} as IncomingMessage;
    const response = new EventEmitter() as ServerResponse;
    newest.note(versions(changes));
    const joined = makers.join({ key: 'key', route: { operation: undefined, pattern: '/' }, request, response }, versions(changes));
    return { request, response, joined };
  };
  return { makers, outcomes, ask };
}
const textOf = async (joined: ReturnType<ReturnType<typeof setUp>['ask']>['joined']): Promise<string | undefined> => {
  const kept = await joined;
  return kept && String((await kept.answer.toward(undefined, undefined)).body);
};

test('one request makes an answer for all that ask meanwhile', async () => {
  const { makers, outcomes, ask } = setUp();
  const maker = ask(1);
  assert.equal(await maker.joined, undefined);
  const others = [ask(1), ask(1), ask(0)];
  makers.finish(maker.request, made('first'));
  assert.deepEqual(await Promise.all(others.map(({ joined }) => textOf(joined))), ['first', 'first', 'first']);
  assert.equal(await textOf(ask(1).joined), 'first');
  assert.deepEqual(outcomes, ['made', 'waited', 'waited', 'waited', 'kept']);
});

test('requests that know of a later change wait for the next answer, and one of them makes it for all', async () => {
  const { makers, outcomes, ask } = setUp();
  const maker = ask(1);
  await maker.joined;
  const later = [ask(2), ask(3), ask(4)];
  makers.finish(maker.request, made('old'));
  assert.equal(await later[0]?.joined, undefined, 'the first who waited makes it');
  makers.finish(later[0]?.request as IncomingMessage, made('new'));
  assert.deepEqual(await Promise.all(later.slice(1).map(({ joined }) => textOf(joined))), ['new', 'new']);
  assert.deepEqual(
    outcomes.filter((outcome) => outcome === 'made'),
    ['made', 'made'],
  );
});

test('an answer that took longer than its maximum age still serves the requests that waited for it', async () => {
  const { makers, ask } = setUp();
  const maker = ask(1);
  await maker.joined;
  const other = ask(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  makers.finish(maker.request, made('slow', 1));
  assert.equal(await textOf(other.joined), 'slow');
  assert.equal(await ask(1).joined, undefined, 'later ones make it anew');
});

test('an answer that cannot be kept is made by every request, at once', async () => {
  const { makers, ask } = setUp();
  const maker = ask(1);
  await maker.joined;
  const others = [ask(1), ask(1), ask(1)];
  makers.finish(maker.request, undefined);
  assert.deepEqual(await Promise.all(others.map(({ joined }) => joined)), [undefined, undefined, undefined]);
});

test('when the maker’s client disconnects, one of the waiting requests makes the answer', async () => {
  const { makers, ask } = setUp();
  const maker = ask(1);
  await maker.joined;
  const [next, last] = [ask(1), ask(1)];
  maker.response.emit('close');
  assert.equal(await next.joined, undefined);
  makers.finish(next.request, made('second'));
  assert.equal(await textOf(last.joined), 'second');
});

test('Y11: an identical new answer is not compressed again', async () => {
  const { makers, ask } = setUp();
  const bodies: unknown[] = [];
  for (const [changes, text] of ['x'.repeat(5_000), 'x'.repeat(5_000), 'y'.repeat(5_000)].entries()) {
    const maker = ask(changes);
    assert.equal(await maker.joined, undefined);
    const kept = makers.finish(maker.request, made(text));
    bodies.push((await kept?.answer.toward('br', undefined))?.body);
  }
  assert.equal(bodies[0], bodies[1]);
  assert.notEqual(bodies[1], bodies[2]);
});
