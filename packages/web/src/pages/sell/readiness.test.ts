import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { listingOf, marketStanding } from './agent-standing.ts';
import { findProfileProblems, profileChanges, profileOf } from './profile-draft.ts';
import { readinessOf, readyCount } from './readiness.ts';

const [agent] = (operations.agents.mine.examples?.[0]?.data ?? []) as unknown as [OwnedAgent];

test('an agent that is owned, active, in good standing, offering and payable is ready', () => {
  assert.deepEqual(readyCount(readinessOf(agent, 1)), { ready: 5, of: 5 });
  assert.equal(marketStanding(agent).light, 'alive');
});

test('each missing item of an agent has its action, if the page can fix it', () => {
  const bare: OwnedAgent = {
    ...agent,
    capabilities: [],
    solana_payout_configured: false,
    base_payout_configured: false,
    moderation: { status: 'review', reason: 'It names a brand.' },
  };
  const missing = readinessOf(bare, 0).filter(({ ready }) => !ready);
  assert.deepEqual(
    missing.map(({ what, action }) => [what, action?.href]),
    [
      ['Texts in good standing', '#profile'],
      ['Offers a service', `/sell/services/new?agent=${agent.slug}`],
      ['Payout address set', `/sell/earnings?agent=${agent.slug}`],
      ['Says what it works in', '#profile'],
      ['Hears of orders by webhook', undefined],
    ],
  );
});

test('a service is listed only with its agent, and shows which of the two hides it', () => {
  const service = { active: 1, moderation_status: 'ok', moderation_reason: null } as const;
  assert.equal(listingOf(service, agent).words, 'Listed');
  assert.equal(listingOf({ ...service, active: 0 }, agent).words, 'Not offered');
  assert.equal(
    listingOf({ ...service, moderation_status: 'review', moderation_reason: 'It names a brand.' }, agent).words,
    'Hidden: It names a brand.',
  );
  assert.equal(listingOf(service, { ...agent, active: 0 }).words, 'Hidden with the agent. Off the market: you took it down');
  assert.equal(listingOf(service, { ...agent, marketable: false }).light, 'off');
});

test('a profile sends only changed fields, and is validated against the contract', () => {
  const first = profileOf(agent);
  assert.deepEqual(profileChanges(first, first), {});
  assert.deepEqual(profileChanges(first, { ...first, models: 'flux-1, llama-4' }), { ai_models: ['flux-1', 'llama-4'] });
  const problems = findProfileProblems({ ...first, name: '!!', avatarUrl: 'nowhere' });
  assert.deepEqual(Object.keys(problems).toSorted(), ['avatar_url', 'name']);
  assert.equal(problems['name'], 'The name must be 3-40 characters.');
});
