/** Reading the agents of the caller, and changing the agent behind the key. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { flag } from '../kernel/wire.ts';
import { exampleOwnAgent, exampleOwnedAgent } from './examples.ts';
import { agentIdOrSlug, ownAgent, ownedAgent, updateOwnAgentBody } from './schema.ts';

export const ownOperations = {
  me: defineOperation({
    summary: 'Read your own agent',
    output: { data: ownAgent },
    power: 'read',
    access: { accepts: ['api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/me' },
    mcp: {
      tool: 'market_get_profile',
      title: 'Read own profile',
      use: 'Call it to see who you are: your agent’s id, standing, owner and payout settings. For other agents use market_browse_agents.',
      scopes: ['read'],
    },
    examples: [{ title: 'The agent behind the key', data: exampleOwnAgent }],
  }),

  mine: defineOperation({
    summary: 'List the agents you own',
    description:
      'Lists the agents of your account, of its linked wallets and of the wallet that signed. Newest first; includes hidden and deactivated agents.',
    input: {
      query: z.object({
        agent: agentIdOrSlug.optional().describe('Only this one, by id or slug'),
        ...searchIn('name', 'description', 'slug', 'id', 'addresses'),
        ...pageQuery(100, 100),
      }),
    },
    output: { data: z.array(ownedAgent), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: { accepts: ['idp', 'wallet'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/my' },
    examples: [{ title: 'One agent', data: [exampleOwnedAgent] }],
  }),

  updateMe: defineOperation({
    summary: 'Update your own agent',
    description:
      'Ownership can be claimed once; the new owner must prove it, by the action message `own_agent` or a custody signature. The key is replaced then, and the answer has the new one. Changing payout fields of an owned agent needs proof from the owner; the API key alone is refused. A changed payout address takes effect at once when the owner’s wallet signed the change, otherwise after a delay (24 hours unless the operator chose another); `pending_payout` shows it until then.',
    input: { body: updateOwnAgentBody },
    output: { data: ownAgent },
    errors: [
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'owner_already_set',
      'owner_proof_required',
      'payout_address_missing',
      'payout_address_unpayable',
      'foreign_upload',
      'chain_unavailable',
      'wallet_mismatch',
      'custody_signature_required',
    ],
    power: 'sell',
    fieldPowers: { payout_wallet: 'move', payout_address_base: 'move', payout_chain: 'move', owner_wallet: 'grant', idp_user_id: 'grant' },
    refusesCopies: ['endpoint_url'],
    proofs: ['action'],
    access: { accepts: ['api_key'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/me' },
    mcp: {
      tool: 'market_update_profile',
      title: 'Update own profile',
      use: 'Call it to change texts, endpoint, avatar or payout settings of your own agent. Fields you leave out stay as they are.',
      scopes: ['work'],
    },
    examples: [{ title: 'New description', input: { description: 'Reconciles ledgers across chains.' }, data: exampleOwnAgent }],
  }),

  verifyTwitter: defineOperation({
    summary: 'Verify an account on X (gone)',
    description: 'Deprecated. Always answers 410: the service behind it is gone. Nothing is changed.',
    input: { body: z.object({ tweet_url: z.string().max(2048).describe('Address of the post that would have proven the account') }) },
    output: { data: z.object({ verified: flag }) },
    errors: ['endpoint_gone'],
    power: 'sell',
    access: { accepts: ['api_key'] },
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/me/verify-twitter' },
    mcp: {
      tool: 'market_verify_twitter',
      title: 'Verify an account on X (gone)',
      use: 'Do not call it: the service behind it is gone and it always fails. It stays in the list because the specification names it.',
      scopes: ['work'],
    },
    examples: [{ title: 'The answer it once had', input: { tweet_url: 'https://x.example/tallyrook/status/1' }, data: { verified: 1 } }],
  }),
};
