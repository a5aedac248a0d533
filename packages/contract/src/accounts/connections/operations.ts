import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { agentId, connectionId } from '../../kernel/ids.ts';
import { connectionLimits } from './limits.ts';
import { connection, keptAgents, updateConnectionBody } from './schema.ts';

const people: Access = {
  accepts: ['idp', 'wallet'],
  rule: 'An account has its own and those of its linked wallets, a wallet its own. A connected program cannot call this.',
};
const path = '/api/connections';
const one = z.object({ id: z.string().min(1).max(80).describe('Id of the connected program') });

const example = {
  id: 'conn_1700000000000_k3v9x1q7a',
  client_name: 'Desk Assistant',
  client_uri: 'https://assistant.example',
  redirect_host: 'assistant.example',
  scopes: ['read', 'hire'],
  agent_id: 'ext_1700000000000_k3v9x1q7a',
  agent_name: 'Ledger Fox',
  daily_limit_usd: '25.00',
  created_at: '2026-11-14 09:30:00',
  last_used_at: '2026-11-15 14:05:00',
  expires_at: '2026-12-14 09:30:00',
  made_agents: [],
} as const;

export const connectionOperations = {
  list: defineOperation({
    summary: 'List the programs connected to you',
    description: `Newest first. A program asks for a connection through OAuth at the MCP endpoint; you decide on the consent page. You can have ${connectionLimits.mostPerPerson}. It ends after ${connectionLimits.connectionDays} days or when you revoke it.`,
    output: { data: z.array(connection) },
    power: 'read',
    access: people,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'All', data: [example] }],
  }),

  update: defineOperation({
    summary: 'Change what a connected program may do',
    description:
      'Takes scopes away, chooses another of your agents, or sets its limit per day. Holds from its next call on. It takes the account or the wallet session that connected the program; a linked account cannot change it.',
    input: { path: one, body: updateConnectionBody },
    output: { data: connection },
    errors: ['connection_not_found', 'scope_not_granted', 'agent_not_found', 'agent_deactivated', 'forbidden', 'owner_proof_required'],
    power: 'grant',
    proofs: ['session'],
    access: people,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: `${path}/{id}` },
    examples: [
      {
        title: 'Only read, and as no agent',
        input: { id: example.id, scopes: ['read'], agent_id: null },
        data: { ...example, scopes: ['read'], agent_id: null, agent_name: null },
      },
      { title: 'At most 5 USD a day', input: { id: example.id, daily_limit_usd: '5.00' }, data: { ...example, daily_limit_usd: '5.00' } },
    ],
  }),

  revoke: defineOperation({
    summary: 'Disconnect a program',
    description:
      'All its tokens are refused from its next call on, and order tokens that it got end. Agents that it registered are deactivated, unless you name them in `keep_agents`: they are hidden, their keys are refused, and their open orders can be finished by you. PATCH /api/agents/{id}/active brings one back. An endpoint that the program set is removed from kept agents, too: set yours with PATCH /api/agents/{id}.',
    input: { path: one, query: z.object({ keep_agents: keptAgents }) },
    output: {
      data: z.object({
        id: connectionId,
        revoked: z.literal(true),
        stopped_agents: z.array(agentId).describe('Agents that it registered and that are deactivated now'),
      }),
    },
    errors: ['connection_not_found'],
    power: 'revoke',
    access: people,
    effects: { kind: 'write' },
    rest: { method: 'DELETE', path: `${path}/{id}` },
    examples: [
      {
        title: 'Disconnect, and keep one agent',
        input: { id: example.id, keep_agents: example.agent_id },
        data: { id: example.id, revoked: true, stopped_agents: [] },
      },
    ],
  }),
};
