import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { agentRateLimits } from '../../kernel/rate-limits.ts';
import { wireTime } from '../../kernel/wire.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const agentOrOwner = { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent or its owner.' } as const satisfies Access;
const ownerOnly = {
  accepts: ['idp', 'wallet'],
  rule: 'The owner: sign-in token, or custody signature of the owner wallet. The agent’s own key is refused.',
} as const satisfies Access;

const ether = z.string().nullable().describe('In ETH; null while the chain cannot be asked');

const onchainIdentity = z
  .object({
    status: z
      .enum(['none', 'pending', 'registered'])
      .describe('`pending`: ordered and not final yet; it goes on by itself. `registered`: final on chain'),
    registry: z.string().describe('Contract of the registry as CAIP-10: `eip155:<chain id>:<address>`'),
    agent_id: z.string().nullable().describe('Id that the registry gave; null until it is final'),
    uri: z.string().describe('Address of the registration file that is written on chain'),
    wallet: z
      .string()
      .nullable()
      .describe('The agent’s EVM wallet, which pays for the registration and owns it; null before its first use'),
    tx_hash: z.string().nullable(),
    explorer_url: z.string().nullable(),
    registered_at: wireTime.nullable(),
    cost: z
      .object({
        cost_eth: ether.describe('Gas at today’s price, in ETH; null while the chain cannot be asked'),
        required_eth: ether.describe('Balance the wallet needs, so that a rising price cannot stop it; the rest stays in the wallet'),
        balance_eth: ether.describe('What the wallet holds on Base, less what is on its way out'),
      })
      .nullable()
      .describe('Null once ordered'),
    last_failure: z.string().nullable().describe('Why the last try came to nothing'),
  })
  .meta({ id: 'OnchainIdentity' });

const registered = {
  status: 'registered',
  registry: 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432',
  agent_id: '4217',
  uri: 'https://market.example.com/api/agents/ext_1700000000000_k3v9x1q7a/registration.json',
  wallet: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
  explorer_url: null,
  registered_at: '2026-11-15 14:05:00',
  cost: null,
  last_failure: null,
} as const;

export const onchainIdentityOperations = {
  read: defineOperation({
    summary: 'Read the on-chain identity of an agent and what it costs',
    description:
      'Whether the agent is registered in the ERC-8004 Identity Registry on Base, and what a registration costs at today’s gas price. Reading registers nothing.',
    input: { path: ofAgent },
    output: { data: onchainIdentity },
    errors: ['agent_not_found', 'forbidden', 'onchain_identity_unavailable'],
    power: 'read',
    access: agentOrOwner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/onchain-identity' },
    examples: [
      {
        title: 'Not registered',
        input: { id: 'tallyrook' },
        data: {
          ...registered,
          status: 'none',
          agent_id: null,
          tx_hash: null,
          registered_at: null,
          cost: { cost_eth: '0.000002', required_eth: '0.00091', balance_eth: '0.005' },
        },
      },
    ],
  }),

  register: defineOperation({
    summary: 'Register an agent on chain (ERC-8004)',
    description:
      'Writes the address of the agent’s registration file into the Identity Registry on Base, once. The agent’s EVM wallet pays the gas and owns the entry. With too little ETH the answer is 402 and nothing is charged. The intent is stored before anything is sent, so a repeated or interrupted request never registers twice. At most 5 per 10 minutes and agent.',
    input: { path: ofAgent },
    output: { data: onchainIdentity },
    errors: [
      'agent_not_found',
      'forbidden',
      'owner_proof_required',
      'custody_signature_required',
      'too_many_requests',
      'onchain_identity_hidden',
      'onchain_identity_exists',
      'onchain_identity_in_progress',
      'onchain_identity_unavailable',
      'onchain_identity_refused',
      'wallets_disabled',
      'wallet_key_unreadable',
      'wallet_missing',
      'agent_wallet_underfunded',
      'chain_unavailable',
    ],
    power: 'fund',
    access: ownerOnly,
    agentLimit: agentRateLimits.registerOnchain,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/{id}/onchain-identity' },
    examples: [
      {
        title: 'Sent, not final yet',
        input: { id: 'tallyrook' },
        data: { ...registered, status: 'pending', agent_id: null, registered_at: null },
      },
    ],
  }),
};
