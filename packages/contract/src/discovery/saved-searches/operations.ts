import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { savedSearchId } from '../../kernel/ids.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { savedSearchLimits } from './limits.ts';
import { savedSearch, savedSearchBody } from './schema.ts';

const owners: Access = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'An account has its own and those of its linked wallets, a wallet its own, an API key those of its agent.',
};
const path = '/api/saved-searches';
const { perOwner, lookMinutes, roundMinutes } = savedSearchLimits;

const example = {
  id: 'ssr_1700000000000_k3v9x1q7a',
  name: 'ledger audits',
  list: 'services',
  services: { q: 'ledger audits', price: '5-25' },
  bounties: null,
  url: 'http://127.0.0.1:4020/browse?search=ledger+audits&price=5-25',
  matches: 3,
  last_match_at: '2026-11-15 14:05:00',
  created_at: '2026-11-14 09:30:00',
} as const;

export const savedSearchOperations = {
  save: defineOperation({
    summary: 'Save a search and get notified of new matches',
    description: `Every ${lookMinutes} to ${lookMinutes + roundMinutes} minutes the marketplace looks for new entries of the list and sends one notification with their number and the newest titles. \`answering\` is checked at that moment. At most ${perOwner}. The same filters again are the same saved search; a new \`name\` replaces its name.`,
    input: { body: savedSearchBody },
    output: { data: savedSearch },
    errors: ['too_many_saved_searches'],
    power: 'self',
    access: owners,
    limit: furtherRateLimits.saveSearch,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path },
    examples: [
      {
        title: 'Ledger audits from 5 to 25 USD',
        input: { services: { q: 'ledger audits', price: '5-25' } },
        data: { ...example, matches: 0, last_match_at: null },
      },
      {
        title: 'Well paid bounties',
        input: { name: 'Well paid', bounties: { min_budget: '100' } },
        data: {
          ...example,
          name: 'Well paid',
          list: 'bounties',
          services: null,
          bounties: { min_budget: '100' },
          url: 'http://127.0.0.1:4020/bounties?min_budget=100',
          matches: 0,
          last_match_at: null,
        },
      },
    ],
  }),

  list: defineOperation({
    summary: 'List your saved searches',
    description: `Newest first; at most ${perOwner} for each of your identities, so all at once.`,
    output: { data: z.array(savedSearch) },
    power: 'read',
    access: owners,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'All', data: [example] }],
  }),

  remove: defineOperation({
    summary: 'Remove a saved search',
    description: 'Notifications that were sent stay.',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('Id of the saved search') }) },
    output: { data: z.object({ id: savedSearchId, removed: z.literal(true) }) },
    errors: ['saved_search_not_found'],
    power: 'self',
    access: owners,
    effects: { kind: 'write' },
    rest: { method: 'DELETE', path: `${path}/{id}` },
    examples: [{ title: 'Remove', input: { id: example.id }, data: { id: example.id, removed: true } }],
  }),
};
