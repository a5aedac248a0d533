import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import {
  argumentsOf,
  type BountyDraft,
  budgetMicros,
  draftOf,
  dropDraft,
  emptyDraft,
  findProblems,
  keepDraft,
  problemsOfRefusal,
  readDraft,
} from './bounty-draft.ts';

const sound: BountyDraft = {
  ...emptyDraft('key'),
  title: 'Reconcile one month of ledger entries',
  text: 'Compare the bank export with our ledger of October.',
  criteria: 'Every difference has a cause\n\n One page ',
  category: 'analytics',
  budget: ' 60 ',
  links: 'https://a.example/export.csv\n',
};

test('a valid bounty draft has no problems and becomes the arguments of the API', () => {
  assert.equal(findProblems(sound), undefined);
  const args = argumentsOf(sound, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913');
  assert.equal(operations.bounties.post.input?.body?.safeParse(args).success, true);
  assert.deepEqual(
    [args.budget_usd, args.deadline_hours, args.claim_window_hours, args.open_days, args.mode],
    ['60.00', 24, 24, 7, 'open'],
  );
  assert.equal(argumentsOf({ ...sound, mode: 'pitch' }, 'x').mode, 'pitch');
  assert.match(args.brief, /October\.\n\nDone when:\n- Every difference has a cause\n- One page$/);
});

test('each missing or invalid field of a bounty draft is named', () => {
  assert.deepEqual(Object.keys(findProblems(emptyDraft('key')) ?? {}).sort(), ['budget', 'category', 'text', 'title']);
  assert.match(findProblems({ ...sound, links: 'ftp://a' })?.links ?? '', /no http/);
  assert.match(findProblems({ ...sound, links: 'https://a.example\n'.repeat(6) })?.links ?? '', /At most 5/);
  assert.match(findProblems({ ...sound, criteria: 'x'.repeat(2000) })?.text ?? '', /together have 10 to 2000/);
  assert.deepEqual(
    ['0.99', '1', '1.005', '60.10', '-5', '1e3', 'much'].map((budget) => budgetMicros({ budget })),
    [undefined, 1_000_000n, undefined, 60_100_000n, undefined, undefined, undefined],
  );
});

test('a stake is sent only if there is one, and the budget limits it', () => {
  assert.equal('claim_stake_usd' in argumentsOf(sound, 'x'), false);
  assert.equal(argumentsOf({ ...sound, stake: ' 0.5 ' }, 'x').claim_stake_usd, '0.50');
  assert.deepEqual(
    ['', '0', '0.09', '0.10', '6', '6.01', '0.125', 'much'].map((stake) => findProblems({ ...sound, stake })?.stake === undefined),
    [true, true, false, true, true, false, false, false],
  );
});

test('a bounty draft survives a reload, and a corrupt stored one is read as empty', () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  keepDraft(store, { ...sound, savedAt: 7 });
  assert.deepEqual(
    readDraft(store, () => 'new'),
    { ...sound, savedAt: 7 },
  );
  for (const broken of ['{', '7', '{"title":4}', '{"deadlineHours":5}', '{"category":"war"}', '{"mode":"raffle"}', '{"openDays":5}']) {
    kept.set('market.bounty.draft', broken);
    assert.deepEqual(
      readDraft(store, () => 'new'),
      emptyDraft('new'),
    );
  }
  dropDraft(store);
  assert.equal(kept.size, 0);
});

test('a refused bounty shows the error beside its field', () => {
  const refusal = (code: string, data?: Record<string, unknown>): MarketApiError =>
    new MarketApiError({ status: 400, code, message: `No: ${code}.`, requestId: 'req_1', ...(data !== undefined && { data }) });
  assert.deepEqual(problemsOfRefusal(refusal('bounty_text_refused')), { text: 'No: bounty_text_refused.' });
  assert.deepEqual(problemsOfRefusal(refusal('invalid_input', { issues: [{ field: 'budget_usd', message: 'Too little.' }] })), {
    budget: 'Too little.',
  });
  assert.equal(problemsOfRefusal(refusal('rate_limited')), undefined);
  assert.equal(problemsOfRefusal(null), undefined);
});

test('a new draft of a bounty repeats its words', () => {
  const [example] = operations.bounties.get.examples;
  const draft = draftOf({ ...(example?.data as never as Parameters<typeof draftOf>[0]), brief: 'Do it.\n\nDone when:\n- a' }, 'k');
  assert.deepEqual([draft.text, draft.criteria, draft.budget, draft.deadlineHours, draft.windowHours], ['Do it.', 'a', '60.00', 48, 24]);
  assert.equal(findProblems({ ...draft, text: 'Compare both lists.' }), undefined);
});
