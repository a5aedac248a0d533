import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { formatUsd } from '../kernel/money.ts';
import { networkName } from '../kernel/networks.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits, ownerRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { usdInput } from '../kernel/wire.ts';
import { paymentRefusals } from '../payments/errors.ts';
import { paymentSurplus } from '../x402/schema.ts';
import { earnAdministration } from './administration.ts';
import { earnAgentOperations } from './agent-operations.ts';
import {
  exampleDeposit,
  exampleHashes,
  exampleMarkets,
  exampleMovement,
  examplePoolMarket,
  examplePosition,
  exampleWaitingWithdrawal,
  exampleWithdrawal,
} from './examples.ts';
import { earnLimits, earnPeriodNames } from './limits.ts';
import {
  depositAnswer,
  earnMarkets,
  earnMovement,
  earnPoint,
  earnPosition,
  poolMarket,
  slippageBps,
  vaultFields,
  vaultKey,
  withdrawAnswer,
} from './schema.ts';

const anyone = { accepts: ['anonymous'] } as const satisfies Access;
const owner = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'An agent’s key acts for the agent, a sign-in for the account, a wallet for itself.',
} as const satisfies Access;

export const earnOperations = {
  markets: defineOperation({
    summary: 'List venues with their rates and sizes',
    description:
      'Rates vary and are not promised. A venue that cannot be read now is shown with its last figures and `stale: true`. 503 when no venue is configured.',
    output: { data: earnMarkets },
    errors: ['earn_unavailable', 'too_many_requests'],
    power: 'public',
    access: anyone,
    limit: rateLimitTable.earnMarkets,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/markets' },
    mcp: {
      tool: 'market_earn_markets',
      title: 'List Earn markets',
      use: 'Call it before a deposit: venues, rates, risks and the wallet to send USDC to.',
      scopes: ['read'],
    },
    examples: [{ title: 'A lending vault and a pool', data: exampleMarkets }],
  }),

  pools: defineOperation({
    summary: 'List the pools for liquidity provision',
    input: { query: z.object({ market: z.string().min(1).max(40).optional().describe('Only this one') }) },
    output: { data: z.array(poolMarket) },
    errors: ['earn_unavailable', 'earn_market_unknown', 'too_many_requests'],
    power: 'public',
    access: anyone,
    limit: rateLimitTable.earnPools,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/pools' },
    examples: [{ title: 'One pool', input: { market: 'crypto-usd' }, data: [examplePoolMarket] }],
  }),

  positions: defineOperation({
    summary: 'List your positions',
    description:
      'Each with its live value, shares and principal. An account sees the positions of its linked wallets and of its agents, too. At most 120 per hour and owner.',
    output: { data: z.array(earnPosition) },
    errors: ['earn_unavailable', 'too_many_requests'],
    power: 'read',
    access: owner,
    agentLimit: ownerRateLimits.earnPositions,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/positions' },
    mcp: {
      tool: 'market_earn_positions',
      title: 'List own Earn positions',
      use: 'Call it to see your deposits: shares, value and what is still on its way.',
      scopes: ['read'],
    },
    examples: [{ title: 'One position', data: [examplePosition] }],
  }),

  deposit: defineOperation({
    summary: 'Register a transfer as a deposit',
    description: `Send USDC to the treasury wallet of the market, from a wallet of yours, then name the transaction. Shares are minted from what the venue measurably gave. The answer waits a few seconds; \`status\` says how far it came. If the venue refuses, the amount goes back to the wallet it came from. The same transfer again answers with the same deposit; with another vault or amount it is refused. At most ${ownerRateLimits.earnMove.requests} per hour and owner, withdrawals included, and ${furtherRateLimits.earnMoves.requests} per hour and client address.`,
    input: {
      body: z.object({
        amount_usd: usdInput('amount_usd', { above: 0n }).describe('At most what was transferred; a surplus is credited to the payer'),
        incoming_tx_hash: z
          .string('incoming_tx_hash must be the hash of your transfer.')
          .min(1, 'incoming_tx_hash must be the hash of your transfer.')
          .max(200)
          .describe('Your transfer'),
        ...vaultFields,
        slippage_bps: slippageBps,
      }),
    },
    output: {
      data: depositAnswer,
      extras: z.object({
        surplus: paymentSurplus.nullable().describe('Transferred above amount_usd; an operator sends it back on request'),
      }),
    },
    errors: [
      'earn_unavailable',
      'earn_venue_unavailable',
      'earn_market_unknown',
      'earn_deposits_closed',
      'earn_first_deposit_too_small',
      'earn_deposit_too_small',
      'earn_deposit_taken',
      'earn_deposit_differs',
      'earn_deploy_failed',
      'too_many_requests',
      ...paymentRefusals,
    ],
    power: 'spend',
    access: owner,
    limit: furtherRateLimits.earnMoves,
    agentLimit: ownerRateLimits.earnMove,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/earn/pool/deposit' },
    mcp: {
      tool: 'market_earn_deposit',
      title: 'Deposit into Earn',
      use: 'Call it after you sent USDC to the treasury wallet that market_earn_markets names. It registers that transfer as your deposit.',
      scopes: ['money'],
    },
    examples: [
      {
        title: '250 USDC into the lending vault',
        input: { amount_usd: '250.00', incoming_tx_hash: exampleHashes.incoming, key: 'lend:usdc' },
        data: exampleDeposit,
        extras: { surplus: null },
      },
    ],
  }),

  withdraw: defineOperation({
    summary: 'Burn shares and get their value paid',
    description: `The shares burn at once. What the venue can pay now is paid; the rest waits in a queue, first come first served, and keeps earning and losing until it is paid. At least ${formatUsd(earnLimits.leastWithdrawalMicros)} USDC, or the whole position. While a withdrawal of yours from this vault waits, a second one joins it: same \`withdrawal_id\`, same wallet, the smaller slippage, and the whole goes to the end of the queue. A wallet’s position is paid to that wallet; another destination needs its custody signature. An account’s position is paid to a wallet linked to it: at once with the custody signature of a wallet linked for 24 hours, otherwise after 24 hours, announced and cancellable. An agent’s key pays only the agent’s own wallets. No fee.`,
    input: {
      body: z
        .object({
          shares: z
            .string()
            .regex(/^[1-9]\d{0,38}$/, 'shares must be a whole number above 0.')
            .optional()
            .describe('How many shares, as a whole number; see your positions'),
          all: z.boolean().optional().describe('Everything; wins over `shares`'),
          ...vaultFields,
          agent_id: z.string().min(1).max(80).optional().describe('Owner of this agent only: withdraw the agent’s position'),
          owner_wallet: walletAddress.optional().describe('Withdraw the position of this wallet, which signs the call'),
          destination_wallet: walletAddress
            .optional()
            .describe('Default: the wallet itself; for accounts and agents the one of the last deposit, else the first that is allowed'),
          slippage_bps: slippageBps,
        })
        .refine((body) => body.all === true || body.shares !== undefined, 'Send shares, or all: true.'),
    },
    output: { data: withdrawAnswer },
    errors: [
      'earn_unavailable',
      'earn_venue_unavailable',
      'earn_market_unknown',
      'earn_no_position',
      'earn_shares_insufficient',
      'earn_shares_worthless',
      'earn_withdrawal_too_small',
      'earn_withdrawal_open',
      'earn_destination_missing',
      'earn_destination_not_yours',
      'earn_agent_not_allowed',
      'owner_proof_required',
      'owner_conflict',
      'custody_signature_required',
      'wallet_destination_invalid',
      'too_many_moves',
      'agent_not_found',
      'forbidden',
      'too_many_requests',
    ],
    power: 'move',
    proofs: ['signature', 'single_use', 'sign_in', 'session', 'key', 'scope_money'],
    access: owner,
    limit: furtherRateLimits.earnMoves,
    agentLimit: ownerRateLimits.earnMove,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/earn/pool/withdraw' },
    mcp: {
      tool: 'market_earn_withdraw',
      title: 'Withdraw from Earn',
      use: 'Call it to take USDC out of a position: a number of shares, or everything. See market_earn_positions for what you have.',
      scopes: ['money'],
    },
    examples: [
      { title: 'Everything', input: { all: true, key: 'lend:usdc' }, data: exampleWithdrawal },
      { title: 'By the account alone', input: { all: true, key: 'lend:usdc' }, data: exampleWaitingWithdrawal },
    ],
  }),

  movements: defineOperation({
    summary: 'List your deposits and withdrawals',
    description: 'Newest first, each with a sentence about where the money is, its place in the queue, and its transactions.',
    input: {
      query: z.object({
        key: vaultKey.optional(),
        ...searchIn('vault', 'owner', 'reason', 'id', 'address', 'transactions'),
        ...pageQuery(25, 100),
      }),
    },
    output: { data: z.array(earnMovement), extras: pageExtras },
    errors: ['earn_unavailable', 'invalid_cursor'],
    power: 'read',
    access: owner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/movements' },
    examples: [{ title: 'One deposit', data: [exampleMovement] }],
  }),

  movement: defineOperation({
    summary: 'Read one of your deposits or withdrawals',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('`deposit_id` or `withdrawal_id`') }) },
    output: { data: earnMovement },
    errors: ['earn_movement_not_found'],
    power: 'read',
    access: owner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/movements/{id}' },
    examples: [{ title: 'A deposit', input: { id: exampleMovement.id }, data: exampleMovement }],
  }),

  history: defineOperation({
    summary: 'Read share price, rate and size of a vault over time',
    input: { query: z.object({ key: vaultKey, period: z.enum(earnPeriodNames as ['7d', '30d', '90d', '1y']).default('30d') }) },
    output: {
      data: z.object({
        key: vaultKey,
        network: networkName,
        period: z.enum(earnPeriodNames as ['7d', '30d', '90d', '1y']),
        points: z.array(earnPoint),
      }),
    },
    errors: ['earn_unavailable', 'earn_market_unknown', 'too_many_requests'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/earn/pool/history' },
    examples: [
      {
        title: 'A month',
        input: { key: 'lend:usdc', period: '30d' },
        data: {
          key: 'lend:usdc',
          network: 'base-mainnet',
          period: '30d',
          points: [
            {
              at: '2026-11-15 14:00:00',
              share_price: '1.012345678',
              apr_pct: 4.8,
              total_usdc_micro: '5000000000000',
              available_usdc_micro: '400000000000',
            },
          ],
        },
      },
    ],
  }),

  ...earnAgentOperations,
  ...earnAdministration,
};
