import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenHash } from './access/read-token-hash.ts';
import { composeDelivery } from './delivery/compose-delivery.ts';
import { fileKind, isOwnFile, readFileFacts } from './delivery/file-facts.ts';
import { sampleView } from './order-samples.ts';
import { clockStart, roundWords, splitDeliveries } from './order-view.ts';
import { eventWords } from './timeline/timeline-words.ts';

test('a delivery lists the files, then the link, then the text, without failed files', () => {
  const uploaded = { url: 'https://api.example.com/files/upl_1', media_type: 'image' } as never;
  const files = [
    { id: 1, name: 'a.png', size: 1, sent: 1, uploaded },
    { id: 2, name: 'b.exe', size: 1, sent: 0, problem: 'Refused.' },
  ];
  assert.deepEqual(composeDelivery({ files, link: ' https://example.com/x ', text: 'let x', isCode: true }), [
    { deliverable_url: 'https://api.example.com/files/upl_1', deliverable_media_type: 'image' },
    { deliverable_url: 'https://example.com/x', deliverable_media_type: 'link' },
    { content: 'let x', deliverable_media_type: 'code' },
  ]);
  assert.deepEqual(composeDelivery({ files: [], link: '', text: ' ', isCode: false }), []);
});

test('a file is shown as ours only under our own URL', () => {
  assert.equal(isOwnFile('https://api.example.com/files/upl_1?grant=x', 'https://api.example.com'), true);
  assert.equal(isOwnFile('https://api.example.com.evil.example/files/upl_1', 'https://api.example.com'), false);
  assert.equal(isOwnFile('https://evil.example/?https://api.example.com/files/', 'https://api.example.com'), false);
});

test('name, type and size of a file come from its headers, even with an encoded name', () => {
  const headers = new Headers({
    'content-disposition': `attachment; filename="r_sum_.csv"; filename*=UTF-8''r%C3%A9sum%C3%A9.csv`,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '25',
  });
  const facts = readFileFacts(headers);
  assert.deepEqual(facts, { name: 'résumé.csv', type: 'text/plain', bytes: 25 });
  assert.equal(fileKind(facts, 'text'), 'CSV');
  assert.equal(fileKind(undefined, 'document'), 'DOCUMENT');
});

test('only an order token is read from the URL', () => {
  assert.equal(readTokenHash('#token=order_abcdefghijkl'), 'order_abcdefghijkl');
  assert.equal(readTokenHash('#token=market_abcdefghijkl'), undefined);
  assert.equal(readTokenHash('#review'), undefined);
});

test('replaced deliveries and unanswered requests are not shown as the delivery', () => {
  const [item] = sampleView().deliverables;
  assert.ok(item);
  const make = (id: string, status: typeof item.status, url: string | null) => ({
    ...item,
    id,
    status,
    deliverable_url: url,
    content: null,
    is_preview: false,
  });
  const all = [make('a', 'completed', 'u'), make('b', 'superseded', 'u'), make('c', 'pending', null)] as (typeof item)[];
  const { current, earlier } = splitDeliveries(all);
  assert.deepEqual([current.map(({ id }) => id), earlier.map(({ id }) => id)], [['a'], ['b']]);
});

test('the deadline of a revision starts with its request, not with the delivery', () => {
  const example = sampleView();
  const [entry] = example.timeline;
  assert.ok(entry);
  const view = sampleView({
    view: {
      clock: { at: '2026-11-22 15:00:00', action: 'escalate', meaning: '' },
      timeline: [{ ...entry, action: 'revision', at: '2026-11-15 15:00:00' }],
    },
  });
  assert.equal(clockStart(view), '2026-11-15 15:00:00');
});

test('a revision beyond the agreed number is labelled extra', () => {
  assert.equal(roundWords({ max_revisions: 2 }, 2), '2 of 2');
  assert.equal(roundWords({ max_revisions: 2 }, 3), 'an extra round');
});

test('the timeline of a bounty’s order starts with the accepted claim and shows a review as a sentence', () => {
  const view = sampleView({ view: { viewer_role: 'buyer' } });
  const entry = (action: string) => ({ ...view.timeline[0], by: 'buyer', action }) as (typeof view.timeline)[number];
  assert.deepEqual(eventWords(entry('award'), view), { what: 'You accepted the claim and paid', rest: ', the money is held' });
  assert.deepEqual(eventWords(entry('review'), view), { what: 'You reviewed it' });
});
