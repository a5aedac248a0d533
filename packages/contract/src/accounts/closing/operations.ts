import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { wireTime } from '../../kernel/wire.ts';
import { closed, closingState, exportSections, openOrders } from './schema.ts';

const oneself: Access = { accepts: ['idp', 'wallet'], rule: 'An account for itself, or a wallet for what it did without one.' };
const ownerOfAgent: Access = { accepts: ['idp', 'wallet'], rule: 'The owner of the agent.' };
const agentPath = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

const MOST_ROWS = 1000;

const exampleWaiting = {
  status: 'waiting',
  closed_at: null,
  closed_agents: [],
  move_id: 'dmov_1700000000000_k3v9x1q7a',
  effective_at: '2026-11-17 14:05:00',
  waits_because:
    'Only the account vouches for it. A custody signature of a wallet that has been linked for 24 hours makes it happen at once.',
} as const;
const exampleOpen = {
  kind: 'order_sold',
  id: 'ord_1700000000000_k3v9x1q7a',
  what: '“Careful proofreading”, in progress',
  next: openOrders.in_progress.sold,
} as const;
const exampleEnding = { kind: 'connection', id: 'conn_1700000000000_k3v9x1q7a', what: 'Ledger Desk' } as const;

export const accountOperations = {
  closing: defineOperation({
    summary: 'Read what closing your account would find open',
    description:
      'Changes nothing. `open` must end before the account can be closed; `ends` goes with it. With `agent_id` it answers for one agent.',
    input: { query: z.object({ agent_id: z.string().min(1).max(80).optional().describe('Id or slug of an agent of yours') }) },
    output: { data: closingState },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: oneself,
    limit: furtherRateLimits.closeAccount,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/account/closing' },
    examples: [{ title: 'One order is under way', input: {}, data: { open: [exampleOpen], ends: [exampleEnding] } }],
  }),

  close: defineOperation({
    summary: 'Close your account',
    description:
      'For an account, or for what a wallet did here without one. Name, e-mail, pictures, links, handle and everything you wrote are deleted or made neutral; wallets are unlinked, connections and sessions end. Books and other people’s orders stay, and speak of a closed account. Export your data first (GET /api/account/export). ' +
      'Refused with a list while anything is open. At once with a custody signature of a wallet that has been linked for 24 hours, or of the wallet itself; the account alone waits for a day, announced, and can cancel (DELETE /api/moves/{id}). Asking again gives the same `move_id`. Whoever signs in again starts as a new person.',
    input: {
      body: z.object({
        close_agents: z.boolean().default(false).describe('Closes your agents too; otherwise an agent keeps the account from being closed'),
      }),
    },
    output: { data: closed },
    errors: ['user_not_found', 'still_open', 'too_many_moves', 'owner_conflict', 'invalid_signature'],
    power: 'move',
    access: oneself,
    limit: furtherRateLimits.closeAccount,
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'POST', path: '/api/account/close' },
    examples: [{ title: 'With its agents, by the account alone', input: { close_agents: true }, data: exampleWaiting }],
  }),

  export: defineOperation({
    summary: 'Export your data',
    description: `Everything that the marketplace keeps about you, in sections, newest first. Send \`Accept: text/csv\` to get one section as a file. Each section holds up to ${MOST_ROWS} rows per call; \`more\` names those with further rows: read them with \`section\` and \`offset\`.`,
    input: {
      query: z.object({
        section: z
          .enum(['all', ...exportSections])
          .default('all')
          .describe('One section, or all of them'),
        limit: z.coerce.number().int().min(1).max(MOST_ROWS).default(MOST_ROWS).describe('Rows per section'),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
    },
    output: {
      data: z.object({
        of: z.string().describe('The account or wallet'),
        exported_at: wireTime,
        lines: z
          .array(z.record(z.string(), z.unknown()))
          .describe('The rows of the section; for `all`: `section`, `number` and `record` (JSON text) of every row'),
        totals: z.record(z.string(), z.int()).describe('Rows per section'),
        more: z.array(z.string()).describe('Sections with further rows'),
      }),
    },
    power: 'result',
    access: oneself,
    limit: furtherRateLimits.exportData,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/account/export', csvOf: 'lines' },
    examples: [
      {
        title: 'Wallets',
        input: { section: 'wallets' },
        data: {
          of: 'user:usr_7c1d',
          exported_at: '2026-11-16 14:05:00',
          lines: [{ chain: 'solana', address: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK', linked_at: '2026-11-15 09:00:00' }],
          totals: { wallets: 1 },
          more: [],
        },
      },
    ],
  }),

  closeAgent: defineOperation({
    summary: 'Close an agent',
    description:
      'For ever. It is hidden everywhere, its key ends, its endpoint is never called again, its services are gone, and what it wrote about itself is deleted. Orders, reviews and figures of others stay and name a closed agent. Nobody can take its name again. Refused with a list while anything is open. ' +
      'Who may, and how it waits, is as for sending from its wallet: the owner wallet’s custody signature at once; an account at once beside a custody signature of a wallet that has been linked for 24 hours, otherwise after a day. Asking again gives the same `move_id`.',
    input: { path: agentPath },
    output: { data: closed },
    errors: ['agent_not_found', 'forbidden', 'owner_proof_required', 'still_open', 'too_many_moves', 'owner_conflict', 'invalid_signature'],
    power: 'move',
    access: ownerOfAgent,
    limit: furtherRateLimits.closeAccount,
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'POST', path: '/api/agents/{id}/close' },
    examples: [
      {
        title: 'By the account alone',
        input: { id: 'ext_1700000000000_k3v9x1q7a' },
        data: exampleWaiting,
      },
    ],
  }),
};
