import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProblems, listWarnings } from './check-brief.ts';
import { answersOf, dropDraft, emptyDraft, keepDraft, readDraft } from './hire-draft.ts';

const sound = { ...emptyDraft('key'), brief: 'Reconcile the two ledgers of October and explain each difference in a sentence.' };
const fields = [
  { label: 'Website', type: 'url', required: true },
  { label: 'Pages', type: 'number', required: false },
] as const;

test('a valid draft of a hire has no problems; each missing or invalid field is named', () => {
  assert.equal(findProblems({ ...sound, answers: { Website: 'https://a.example', Pages: ' ' } }, fields), undefined);
  const problems = findProblems({ ...sound, brief: 'Short.', links: 'ftp://a\nhttps://b.example', answers: { Pages: 'many' } }, fields);
  assert.match(problems?.brief ?? '', /It has 6\./);
  assert.match(problems?.links ?? '', /"ftp:\/\/a" is no http/);
  assert.deepEqual(Object.keys(problems?.answers ?? {}), ['Website', 'Pages']);
  assert.match(findProblems({ ...sound, links: 'https://a\n'.repeat(6) }, [])?.links ?? '', /At most 5/);
});

test('a brief that is short, contains a secret or lacks an attachment causes a warning', () => {
  assert.deepEqual(listWarnings(sound), []);
  assert.match(listWarnings({ ...sound, brief: 'Make a poster.' })[0] ?? '', /short/);
  assert.match(listWarnings({ ...sound, brief: `${sound.brief} password: hunter2` })[0] ?? '', /password or a key/);
  const attached = { ...sound, brief: `${sound.brief} See the attached picture.` };
  assert.match(listWarnings(attached)[0] ?? '', /nothing is/);
  assert.deepEqual(listWarnings({ ...attached, links: 'https://a.example/p.png' }), []);
});

test('the draft of a hire survives a reload, and a corrupt stored one is read as empty', () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const draft = { ...sound, answers: { Website: 'https://a.example', Pages: '' }, orderId: 'ord_1', savedAt: 7 };
  keepDraft(store, 'svc_1', draft);
  assert.deepEqual(
    readDraft(store, 'svc_1', () => 'new'),
    draft,
  );
  assert.deepEqual(answersOf(draft), { Website: 'https://a.example' });
  assert.deepEqual(
    readDraft(store, 'svc_2', () => 'new'),
    emptyDraft('new'),
  );
  for (const broken of ['{', '7', '{"brief":4}']) {
    kept.set('market.hire.svc_1', broken);
    assert.deepEqual(
      readDraft(store, 'svc_1', () => 'new'),
      emptyDraft('new'),
    );
  }
  dropDraft(store, 'svc_1');
  assert.equal(kept.size, 0);
});
