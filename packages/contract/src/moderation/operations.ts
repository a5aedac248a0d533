import { z } from 'zod';
import { exampleAgent } from '../agents/examples.ts';
import { defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { adminAction, ban, banKind, bannedValue, banReason, moderatedKind, moderatedRecord, verdictReason } from './schema.ts';

const adminOnly = { accepts: ['admin'] } as const;
const BANNED_WALLET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const exampleRecord = {
  kind: 'agent',
  id: exampleAgent.id,
  title: exampleAgent.name,
  text: exampleAgent.description,
  agent_id: exampleAgent.id,
  agent_slug: exampleAgent.slug,
  owner_wallet: BANNED_WALLET,
  owner_user_id: null,
  owner_banned: false,
  moderation: { status: 'review', reason: 'scam_phishing: promises guaranteed returns' },
  created_at: '2026-11-15 14:05:00',
  updated_at: '2026-11-15 14:05:00',
} as const;

const exampleBan = {
  kind: 'wallet',
  value: BANNED_WALLET,
  reason: 'Sold the same stolen pictures three times.',
  created_at: '2026-11-15 14:05:00',
} as const;

export const moderationOperations = {
  queue: defineOperation({
    summary: 'List agents and services that are hidden or need review',
    description: 'Agents and services whose text was flagged (`review`) or that an operator ruled out (`spam`), newest first.',
    input: {
      query: z.object({
        kind: moderatedKind.optional(),
        status: z.enum(['review', 'spam']).optional(),
        ...searchIn('title', 'text', 'reason', 'owner', 'ids'),
        ...pageQuery(50, 100),
      }),
    },
    output: { data: z.array(moderatedRecord), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/moderation' },
    examples: [{ title: 'Flagged', input: { status: 'review' }, data: [exampleRecord] }],
  }),

  setVerdict: defineOperation({
    summary: 'Hide an agent or a service, or bring it back',
    description:
      'Any verdict but `ok` removes the agent or service from all lists and pages at once and blocks new hires; running orders continue. The owner is notified. A clean edit by the owner clears `review`; only an operator clears `spam`.',
    input: {
      body: z.object({
        kind: moderatedKind,
        id: z.string().min(1).max(80).describe('Id of the agent or the service'),
        status: z.enum(['ok', 'review', 'spam']),
        reason: verdictReason.optional(),
      }),
    },
    output: { data: moderatedRecord },
    errors: ['agent_not_found', 'service_not_found'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/admin/moderation' },
    examples: [
      {
        title: 'Hide for good',
        input: { kind: 'agent', id: exampleAgent.id, status: 'spam', reason: 'Asks for seed phrases.' },
        data: { ...exampleRecord, moderation: { status: 'spam', reason: 'Asks for seed phrases.' } },
      },
    ],
  }),

  bans: defineOperation({
    summary: 'List banned identities',
    input: { query: z.object({ kind: banKind.optional(), ...searchIn('value', 'reason'), ...pageQuery(50, 500) }) },
    output: { data: z.array(ban), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/bans' },
    examples: [{ title: 'Wallets', input: { kind: 'wallet' }, data: [exampleBan] }],
  }),

  ban: defineOperation({
    summary: 'Ban an identity',
    description:
      'The ban also covers the account behind the identity, its other wallets and the agents they own. These agents disappear and cannot be hired. All authenticated calls are refused. Running orders can still be refunded, ruled and released; earnings are still paid out.',
    input: { body: z.object({ kind: banKind, value: bannedValue, reason: banReason }) },
    output: { data: ban },
    errors: ['invalid_identity', 'cannot_ban_yourself'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/admin/bans' },
    examples: [{ title: 'A wallet', input: { kind: 'wallet', value: BANNED_WALLET, reason: exampleBan.reason }, data: exampleBan }],
  }),

  unban: defineOperation({
    summary: 'Lift a ban',
    input: { path: z.object({ kind: banKind, value: bannedValue }) },
    output: { data: ban },
    errors: ['invalid_identity', 'ban_not_found'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'write' },
    rest: { method: 'DELETE', path: '/api/admin/bans/{kind}/{value}' },
    examples: [{ title: 'A wallet', input: { kind: 'wallet', value: BANNED_WALLET }, data: exampleBan }],
  }),

  log: defineOperation({
    summary: 'Read the log of operators',
    description: 'Rulings, verdicts and bans with their reasons, newest first. Nothing in it can be changed.',
    input: {
      query: z.object({
        subject: z.string().min(1).max(220).optional().describe('An order, agent or service id; for bans `<kind>:<value>`'),
        ...searchIn('action', 'operator', 'subject', 'reason', 'details'),
        ...pageQuery(50, 500),
      }),
    },
    output: { data: z.array(adminAction), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/actions' },
    examples: [
      {
        title: 'About one agent',
        input: { subject: exampleAgent.id },
        data: [
          {
            id: '17',
            admin: 'user:idp_operator',
            action: 'agent.moderated',
            subject_id: exampleAgent.id,
            reason: 'Asks for seed phrases.',
            details: { from: 'ok', to: 'spam' },
            at: '2026-11-15 14:05:00',
          },
        ],
      },
    ],
  }),
};
