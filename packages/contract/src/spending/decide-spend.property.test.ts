/** Checks the decision about payments for random policies and payments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideSpend, type HeldPolicy, noSpendPolicy, type Spending, type SpendPolicy, spendRules } from './decide-spend.ts';

const micros = fc.bigInt({ min: 0n, max: 20n });
const limit = fc.option(micros, { nil: null });
const names = fc.subarray(['a', 'b', 'c']);

const policy: fc.Arbitrary<SpendPolicy> = fc.record({
  perOrderMicros: limit,
  perDayMicros: limit,
  perProviderDayMicros: limit,
  perCategoryDayMicros: limit,
  allowAgents: names,
  blockAgents: names,
  allowCategories: names,
  blockCategories: names,
  approveAboveMicros: limit,
  frozen: fc.boolean(),
});
const held: fc.Arbitrary<HeldPolicy> = fc.record({
  subject: fc.record({ kind: fc.constantFrom('agent', 'connection', 'account'), id: fc.constant('x') }),
  policy,
  spent: fc.record({ dayMicros: micros, providerDayMicros: micros, categoryDayMicros: micros }),
});
const spending: fc.Arbitrary<Spending> = fc.record({
  amountMicros: fc.bigInt({ min: 1n, max: 20n }),
  providerAgentId: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  category: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
});
const budget = fc.option(fc.record({ amountMicros: micros, usedMicros: micros, isOpen: fc.boolean() }), { nil: undefined });
const question = fc.record({ policies: fc.array(held, { maxLength: 4 }), spending, budget, isApproved: fc.boolean() });

test('an allowed payment stays within every limit of every policy and budget session', () => {
  fc.assert(
    fc.property(question, (asked) => {
      if (decideSpend(asked).decision !== 'allow') return;
      const { amountMicros: amount, providerAgentId: provider, category } = asked.spending;
      for (const { policy: rules, spent } of asked.policies) {
        const within = (bound: bigint | null, used: bigint) => assert.ok(bound === null || used + amount <= bound);
        assert.equal(rules.frozen, false);
        within(rules.perOrderMicros, 0n);
        within(rules.perDayMicros, spent.dayMicros);
        if (provider !== undefined) {
          within(rules.perProviderDayMicros, spent.providerDayMicros);
          assert.ok(!rules.blockAgents.includes(provider) && (rules.allowAgents.length === 0 || rules.allowAgents.includes(provider)));
        }
        if (category !== undefined) {
          within(rules.perCategoryDayMicros, spent.categoryDayMicros);
          assert.ok(
            !rules.blockCategories.includes(category) && (rules.allowCategories.length === 0 || rules.allowCategories.includes(category)),
          );
        }
        assert.ok(asked.isApproved || rules.approveAboveMicros === null || amount <= rules.approveAboveMicros);
      }
      if (asked.budget !== undefined) assert.ok(asked.budget.isOpen && asked.budget.usedMicros + amount <= asked.budget.amountMicros);
    }),
    { numRuns: 2_000 },
  );
});

test('a refused payment names the rule that refuses it, and no approval is asked for it', () => {
  fc.assert(
    fc.property(question, (asked) => {
      const decided = decideSpend(asked);
      if (decided.decision === 'allow') return;
      const { rule, sentence, subject } = decided.objection;
      assert.ok(spendRules.includes(rule));
      assert.match(sentence, /^[A-Z0-9].*\.$/);
      assert.equal(decided.decision === 'ask', rule === 'approve_above');
      assert.equal(subject === null, rule === 'budget_session');
      const approved = decideSpend({ ...asked, isApproved: true });
      assert.equal(approved.decision === 'refuse', decided.decision === 'refuse', 'an approval lifts nothing but the question');
    }),
    { numRuns: 2_000 },
  );
});

test('a further policy never allows more, and a smaller payment is never refused if a larger one is allowed', () => {
  fc.assert(
    fc.property(question, held, (asked, more) => {
      const before = decideSpend(asked);
      const after = decideSpend({ ...asked, policies: [...asked.policies, more] });
      if (before.decision === 'refuse') assert.equal(after.decision, 'refuse');
      if (before.decision === 'ask') assert.notEqual(after.decision, 'allow');
      if (before.decision !== 'allow') return;
      const smaller = { ...asked.spending, amountMicros: asked.spending.amountMicros - 1n };
      assert.equal(decideSpend({ ...asked, spending: smaller }).decision, 'allow');
    }),
    { numRuns: 2_000 },
  );
});

test('a policy without limits allows every payment, and only a freeze stops a payment in another coin', () => {
  fc.assert(
    fc.property(spending, held, (asked, one) => {
      assert.equal(decideSpend({ policies: [{ ...one, policy: noSpendPolicy }], spending: asked }).decision, 'allow');
      const { decision } = decideSpend({ policies: [one], spending: { amountMicros: 0n } });
      assert.equal(decision, one.policy.frozen ? 'refuse' : 'allow');
    }),
  );
});
