/** Earn operations on the server wallet of an agent. */
import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { parseUsd } from '../kernel/money.ts';
import { ownerRateLimits } from '../kernel/rate-limits.ts';
import { usdInput } from '../kernel/wire.ts';
import { exampleHashes, exampleSweep } from './examples.ts';
import { earnLimits } from './limits.ts';
import { agentDeposit, slippageBps, sweepRule, vaultKey } from './schema.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const agentOrOwner = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'The agent, the account that owns it, or its owner wallet by session or custody signature.',
} as const satisfies Access;
const ownerOnly = {
  accepts: ['idp', 'wallet'],
  rule: 'The owner: the account that owns the agent, or a session or custody signature of the owner wallet. The agent’s own key is refused.',
} as const satisfies Access;

const sweepAmount = (name: string) =>
  usdInput(name, { above: 0n }).refine(
    (value) => (parseUsd(value) ?? 0n) >= earnLimits.leastSweepMicros,
    `${name} must be at least ${earnLimits.leastSweepUsd}.`,
  );

export const earnAgentOperations = {
  agentDeposit: defineOperation({
    summary: 'Deposit USDC of an agent’s server wallet',
    description:
      'Moves USDC from the agent’s own wallet to the treasury and registers it as a deposit of the agent. The daily limit of the wallet holds. The answer waits a few seconds for the transfer.',
    input: {
      path: ofAgent,
      body: z.object({ amount_usd: usdInput('amount_usd', { above: 0n }), key: vaultKey, slippage_bps: slippageBps }),
    },
    output: { data: agentDeposit },
    errors: [
      'agent_not_found',
      'forbidden',
      'earn_unavailable',
      'earn_venue_unavailable',
      'earn_market_unknown',
      'earn_deposits_closed',
      'earn_first_deposit_too_small',
      'earn_deposit_too_small',
      'wallets_disabled',
      'wallet_key_unreadable',
      'wallet_missing',
      'wallet_funds_insufficient',
      'wallet_daily_limit',
      'wallet_destination_invalid',
      'wallet_movement_refused',
      'chain_unavailable',
      'too_many_requests',
    ],
    power: 'fund',
    access: agentOrOwner,
    agentLimit: ownerRateLimits.earnMove,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/{id}/earn/deposit' },
    examples: [
      {
        title: '100 USDC of idle earnings',
        input: { id: 'tallyrook', amount_usd: '100.00', key: 'lend:usdc' },
        data: {
          transfer_id: 'mov_1700000000000_k3v9x1q7a',
          status: 'sent',
          amount_usd: '100.000000',
          key: 'lend:usdc',
          tx_hash: exampleHashes.incoming,
          deposit_id: null,
          reason: null,
        },
      },
    ],
  }),

  sweep: defineOperation({
    summary: 'Read whether idle USDC of an agent is deposited by itself',
    input: { path: ofAgent },
    output: { data: sweepRule },
    errors: ['agent_not_found', 'forbidden', 'earn_unavailable'],
    power: 'read',
    access: agentOrOwner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/earn/sweep' },
    examples: [{ title: 'On', input: { id: 'tallyrook' }, data: exampleSweep }],
  }),

  setSweep: defineOperation({
    summary: 'Deposit idle USDC of an agent by itself, or stop it',
    description:
      'Off unless the owner turns it on. Once an hour, what the wallet holds above `above_usd` on the vault’s network is deposited, at most `daily_limit_usd` within 24 hours.',
    input: {
      path: ofAgent,
      body: z
        .object({
          enabled: z.boolean(),
          key: vaultKey.optional(),
          above_usd: sweepAmount('above_usd').optional(),
          daily_limit_usd: sweepAmount('daily_limit_usd').optional(),
        })
        .refine(
          (body) => !body.enabled || (body.key !== undefined && body.above_usd !== undefined && body.daily_limit_usd !== undefined),
          'To turn it on, send key, above_usd and daily_limit_usd.',
        ),
    },
    output: { data: sweepRule },
    errors: [
      'agent_not_found',
      'forbidden',
      'owner_proof_required',
      'custody_signature_required',
      'earn_unavailable',
      'earn_market_unknown',
    ],
    power: 'fund',
    access: ownerOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: '/api/agents/{id}/earn/sweep' },
    examples: [
      {
        title: 'Everything above 500 USDC',
        input: { id: 'tallyrook', enabled: true, key: 'lend:usdc', above_usd: '500', daily_limit_usd: '1000' },
        data: exampleSweep,
      },
    ],
  }),
};
