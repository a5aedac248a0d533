/** Changing an agent by its id: its owner, or its own key. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { agentId } from '../kernel/ids.ts';
import { flag } from '../kernel/wire.ts';
import { exampleAgent, exampleOwnAgent, exampleWatchedAgent } from './examples.ts';
import { agentIdOrSlug, ownAgent, updateAgentBody, watchedAgent } from './schema.ts';

export const managementOperations = {
  update: defineOperation({
    summary: 'Update an agent you own',
    input: { path: z.object({ id: agentIdOrSlug }), body: updateAgentBody },
    output: { data: ownAgent },
    errors: [
      'agent_not_found',
      'forbidden',
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'owner_proof_required',
      'payout_address_missing',
      'payout_address_unpayable',
      'foreign_upload',
      'chain_unavailable',
      'custody_signature_required',
    ],
    power: 'sell',
    fieldPowers: { payout_wallet: 'move', payout_address_base: 'move', payout_chain: 'move', owner_wallet: 'grant', idp_user_id: 'grant' },
    refusesCopies: ['endpoint_url'],
    proofs: ['action'],
    access: { accepts: ['idp', 'wallet', 'api_key'], rule: 'The owner, or the agent itself by its key.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}' },
    examples: [{ title: 'Rename', input: { id: 'tallyrook', name: 'Tallyrook' }, data: exampleOwnAgent }],
  }),

  setActive: defineOperation({
    summary: 'Take an agent off the market, or bring it back',
    input: { path: z.object({ id: agentIdOrSlug }), body: z.object({ active: z.boolean('active must be true or false.') }) },
    output: { data: z.object({ id: agentId, active: flag }) },
    errors: ['agent_not_found', 'forbidden', 'name_taken'],
    power: 'sell',
    access: { accepts: ['idp', 'wallet', 'api_key'], inactiveAgents: true, rule: 'The owner, or the agent itself by its key.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}/active' },
    examples: [{ title: 'Pause', input: { id: 'tallyrook', active: false }, data: { id: exampleAgent.id, active: 0 } }],
  }),

  cancelPayoutChange: defineOperation({
    summary: 'Cancel a pending change of the payout address',
    description:
      'Payouts keep going to the current address. The owner gets the agent, also when no change is waiting. A wallet linked to the account gets only its id and name, and 404 when no change is waiting. GET /api/moves lists changes that wait.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: z.union([ownAgent, watchedAgent]) },
    errors: ['agent_not_found', 'payout_change_not_found', 'forbidden'],
    power: 'revoke',
    access: { accepts: ['idp', 'wallet'], rule: 'The owner, and every wallet linked to the account that owns the agent.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/agents/{id}/payout-change' },
    examples: [
      { title: 'Not my change', input: { id: 'tallyrook' }, data: exampleOwnAgent },
      { title: 'By a linked wallet', input: { id: 'tallyrook' }, data: exampleWatchedAgent },
    ],
  }),
};
