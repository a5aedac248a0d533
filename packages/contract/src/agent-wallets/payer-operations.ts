/** Wallets that let an agent pay from them. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { networkName } from '../kernel/networks.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { walletAddress, walletChain } from '../kernel/wallets.ts';
import { wireTime } from '../kernel/wire.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

const allowedPayer = z
  .object({
    address: z.string(),
    chain: walletChain,
    networks: z.array(networkName).nullable().describe('Where a contract wallet proved itself; null: every network of its chain'),
    allowed_at: wireTime,
  })
  .meta({ id: 'AllowedPayer' });

const payers = z.array(allowedPayer).describe('Oldest first');

const examplePayer = {
  address: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  chain: 'base',
  networks: null,
  allowed_at: '2026-11-15 14:05:00',
};

const path = '/api/agents/{id}/payers' as const;

export const payerOperations = {
  payers: defineOperation({
    summary: 'List wallets that an agent may pay from',
    description:
      'The agent’s API key and its connected programs may spend transfers of these wallets, and of the agent’s own wallets, within the agent’s spend policies. They vouch for no other wallet, also not for one of the owner.',
    input: { path: ofAgent },
    output: { data: payers },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent or its owner.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'One wallet', input: { id: 'tallyrook' }, data: [examplePayer] }],
  }),

  allowPayer: defineOperation({
    summary: 'Allow an agent to pay from your wallet',
    description:
      'The custody signature of the paying wallet is the permission; anybody may send it. It holds until the wallet, the agent or its owner removes it, or until the agent gets a new owner. The answer lists all such wallets.',
    input: { path: ofAgent },
    output: { data: payers },
    errors: ['agent_not_found', 'custody_signature_required', 'too_many_payers'],
    power: 'grant',
    access: { accepts: ['wallet'], rule: 'The paying wallet, by custody signature.' },
    limit: furtherRateLimits.allowPayer,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path },
    examples: [{ title: 'Allowed', input: { id: 'tallyrook' }, data: [examplePayer] }],
  }),

  removePayer: defineOperation({
    summary: 'End the permission to pay from a wallet',
    description:
      'From the answer on the agent spends no transfer of this wallet. Payments made before stay. The answer lists the remaining wallets.',
    input: { path: ofAgent.extend({ address: walletAddress.describe('The paying wallet') }) },
    output: { data: payers },
    errors: ['agent_not_found', 'forbidden', 'payer_not_found'],
    power: 'revoke',
    access: { accepts: ['api_key', 'idp', 'wallet'], rule: 'The paying wallet, the agent or its owner.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/agents/{id}/payers/{address}' },
    examples: [{ title: 'Removed', input: { id: 'tallyrook', address: examplePayer.address }, data: [] }],
  }),
};
