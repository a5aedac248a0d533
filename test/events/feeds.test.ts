import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { combinedFeed, numberedFeed } from '../../packages/server/src/features/events/feed.ts';
import { adoptRestoredEvents } from '../../packages/server/src/features/events/repository.ts';
import { createEventLog, type EventReader } from '../../packages/server/src/platform/events/event-log.ts';
import { all, type FeedStage, namesOf, ofAgent, ofPerson, openFeedStage } from './feed-stage.ts';

let stage: FeedStage;

before(async () => {
  stage = await openFeedStage();
});

after(async () => {
  await stage.close();
});

async function read(feed: typeof ofPerson, cursor: string): Promise<string[]> {
  return (await feed.read(stage.database.db, cursor, all, 100)).map(({ subjectId }) => subjectId);
}

test('neither pages nor followers skip an event with an early id and a late commit', async () => {
  const start = await ofPerson.now(stage.database.db);
  const follower = await stage.follow(ofPerson, start);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
  const slow = stage.append('slow', ['user:u'], async () => {
    written();
    await gate;
  });
  await isWritten;
  await stage.append('quick', ['wallet:w']);
  const { rows } = await stage.database.pool.query('select subject_id from events order by id');
  assert.deepEqual(rows, [{ subject_id: 'quick' }], 'the quick one is there, with the higher id');
  // A cursor beyond the quick event would never see the slow one.
  assert.deepEqual(await read(ofPerson, start), []);
  assert.deepEqual(await namesOf(follower, 1, 100), []);
  open();
  await slow;
  assert.deepEqual(await namesOf(follower, 2), ['slow', 'quick']);
  assert.deepEqual(await read(ofPerson, start), ['slow', 'quick']);
  follower.close();
});

test('an agent’s events are read in number order, even if their transactions began in another order', async () => {
  const start = await ofAgent.now(stage.database.db);
  const follower = await stage.follow(ofAgent, start);
  assert.deepEqual(await namesOf(follower, 1, 20), [], 'it has caught up and hears from the hub now');
  const { promise: hasBegun, resolve: began } = Promise.withResolvers<void>();
  // It begins first, which gives it the lower position, and takes its number last.
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const log = createEventLog(stage.database);
  const late = stage.database.transaction(async (tx) => {
    await tx.insertInto('eventCounters').values({ reader: 'agent:nobody', lastSeq: 1n }).execute();
    began();
    await gate;
    await log.append(tx, [{ type: 'test.happened', subjectId: 'late', agentId: 'a', data: {} }]);
  });
  await hasBegun;
  for (const name of ['one', 'two']) await stage.append(name, ['agent:a', 'user:u']);
  assert.deepEqual(await read(ofAgent, start), ['one', 'two'], 'pages of an agent wait for nobody');
  open();
  await late;
  assert.deepEqual(await namesOf(follower, 3), ['one', 'two', 'late']);
  follower.close();
});

test('every event reader gets each event once and in order, with concurrent slow writers and reconnecting readers', async () => {
  const feeds = [numberedFeed('agent:a'), combinedFeed(['user:u']), combinedFeed(['wallet:w', 'agent:a'])];
  const starts = await Promise.all(feeds.map((feed) => feed.now(stage.database.db)));
  const count = 150;
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  // A counter makes its transactions wait for each other; transactions without one overlap.
  const readers = (index: number): EventReader[] => ['user:u', 'wallet:w', ...(index % 3 === 0 ? (['agent:a'] as const) : [])];
  const counts = [count / 3, count, count];
  const writing = Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let index = worker; index < count; index += 8)
        await stage.append(names[index] ?? '', readers(index), () => sleep(Math.random() * 20));
    }),
  );
  const heard = await Promise.all(
    feeds.map(async (feed, which) => {
      const got: string[] = [];
      let cursor = starts[which] ?? '';
      const expected = counts[which] ?? 0;
      while (got.length < expected) {
        // The reader leaves after a few events and returns with the cursor of the last one.
        const follower = await stage.follow(feed, cursor);
        for (let events = 0; events < 7 && got.length < expected; ) {
          const batch = await follower.next(5_000);
          assert.ok(batch && batch.events.length > 0, `feed ${which} has ${got.length} of ${expected}`);
          got.push(...batch.events.map(({ subjectId }) => subjectId));
          events += batch.events.length;
          cursor = batch.cursor;
        }
        follower.close();
      }
      return got;
    }),
  );
  await writing;
  for (const [which, feed] of feeds.entries()) {
    assert.deepEqual(heard[which], await inPages(feed, starts[which] ?? ''), `feed ${which} as in pages`);
    assert.equal(new Set(heard[which]).size, counts[which]);
  }
});

async function inPages(feed: typeof ofPerson, start: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = start; ; ) {
    const page = await feed.read(stage.database.db, cursor, all, 40);
    names.push(...page.map(({ subjectId }) => subjectId));
    if (page.length < 40) return names;
    cursor = page.at(-1)?.cursor ?? cursor;
  }
}

test('a slow event follower buffers a bounded number of events and misses none', async () => {
  const feed = combinedFeed(['user:sleeper']);
  const follower = await stage.follow(feed, await feed.now(stage.database.db));
  assert.deepEqual(await namesOf(follower, 1, 20), []);
  const names = Array.from({ length: 400 }, (_, index) => `s${String(index).padStart(3, '0')}`);
  for (let at = 0; at < names.length; at += 20)
    await Promise.all(names.slice(at, at + 20).map((name) => stage.append(name, ['user:sleeper'])));
  assert.deepEqual((await namesOf(follower, names.length)).sort(), names);
  follower.close();
});

test('a new owner reads events of the owned agent from then on, each once across several feeds', async () => {
  const before = combinedFeed(['user:owner']);
  const follower = await stage.follow(before, await before.now(stage.database.db));
  await stage.append('not yet mine', ['agent:later']);
  await stage.append('mine', ['user:owner', 'wallet:owner']);
  assert.deepEqual(await namesOf(follower, 1), ['mine']);
  follower.changeTo(combinedFeed(['user:owner', 'wallet:owner', 'agent:later']));
  await stage.append('both', ['user:owner', 'wallet:owner', 'agent:later']);
  await stage.append('by agent', ['agent:later']);
  assert.deepEqual(await namesOf(follower, 2), ['both', 'by agent']);
  follower.close();
});

test('after a restore on another server all events are visible, and old cursors continue in their position', async () => {
  const feed = combinedFeed(['user:moved']);
  for (const name of ['first', 'second']) await stage.append(name, ['user:moved']);
  // The state after a restore of a server that had run far more transactions.
  await stage.database.pool.query(`update event_readers set xid = (4000000000000 + event_id)::text::xid8 where reader = 'user:moved'`);
  assert.deepEqual(await read(feed, feed.start), []);
  const { rows } = await stage.database.pool.query<{ xid: string; id: bigint }>(
    `select xid::text, event_id as id from event_readers where reader = 'user:moved' order by event_id limit 1`,
  );
  const old = Buffer.from(`${rows[0]?.xid}.${rows[0]?.id}`).toString('base64url');
  await adoptRestoredEvents(stage.database.db);
  await stage.append('third', ['user:moved']);
  assert.deepEqual(await read(feed, feed.start), ['first', 'second', 'third']);
  assert.deepEqual(await read(feed, old), ['second', 'third']);
});

test('a stopped event hub ends its followers at once and accepts no new ones', async () => {
  const other = await openFeedStage();
  const follower = await other.follow(ofPerson, ofPerson.start);
  const next = follower.next(60_000);
  await sleep(20);
  other.hub.stop();
  assert.equal(await next, undefined);
  await assert.rejects(other.follow(ofPerson, ofPerson.start), { code: 'unavailable' });
  await other.close();
});
