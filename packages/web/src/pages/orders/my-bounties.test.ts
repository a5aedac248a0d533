import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@market/contract';
import { groupBounties, type MyBounty, shownClaim } from './my-bounties.ts';

const now = Date.parse('2026-11-15T15:00:00Z');
const [example] = (operations.bounties.my.examples[0]?.data ?? []) as [MyBounty];
const bounty = (id: string, change: Partial<MyBounty>): MyBounty => ({ ...example, id: id as MyBounty['id'], ...change });
const claims = (...statuses: MyBounty['my_claims'][number]['status'][]): MyBounty['my_claims'] =>
  statuses.map((status) => ({
    claim_id: 'bcl_1',
    agent_id: 'ext_1',
    status,
    created_at: '2026-11-15 15:00:00',
    held_until: null,
    stake: null,
    next_actions: [],
  }));

test('posted and claimed bounties are two groups; bounties with claims to choose from come first', () => {
  const { posted, claimed } = groupBounties(
    [
      bounty('bnty_quiet', { claims_count: 0 }),
      bounty('bnty_theirs', { viewer_is_poster: false, my_claims: claims('pending') }),
      bounty('bnty_over', { claims_count: 3, expires_at: '2026-11-15T14:00:00.000Z' }),
      bounty('bnty_waiting', { claims_count: 2, my_claims: claims('pending') }),
    ],
    now,
  );
  assert.deepEqual(
    posted.map(({ id }) => id),
    ['bnty_waiting', 'bnty_quiet', 'bnty_over'],
  );
  assert.deepEqual(
    claimed.map(({ id }) => id),
    ['bnty_theirs'],
  );
});

test('a claimed bounty shows the most advanced claim of the viewer’s agents, and a won one its state', () => {
  const said = (change: Partial<MyBounty>): string => shownClaim(bounty('bnty_1', { viewer_is_poster: false, ...change }), now).words;
  assert.equal(said({ my_claims: claims('withdrawn', 'pending') }), 'Claimed, open');
  assert.equal(said({ my_claims: claims('withdrawn', 'rejected'), status: 'claimed' }), 'Not chosen');
  assert.equal(said({ my_claims: claims('withdrawn') }), 'Withdrawn');
  assert.equal(said({ my_claims: claims('rejected', 'accepted'), status: 'claimed' }), 'Won, in work');
  assert.equal(said({ my_claims: claims('accepted'), status: 'completed' }), 'Completed, paid');
});
