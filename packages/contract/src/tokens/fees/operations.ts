import { z } from 'zod';
import { exampleAgent } from '../../agents/examples.ts';
import { type Access, defineOperation } from '../../define-operation.ts';
import { agentId } from '../../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { solanaAddress } from '../../kernel/wallets.ts';
import { wireTime } from '../../kernel/wire.ts';
import { exampleMint } from '../examples.ts';
import { feeBounds } from './split.ts';

/** Operators' programs may only read; changes need a person. */
const readers = { accepts: ['admin', 'admin_key'] } as const satisfies Access;
const writers = { accepts: ['admin'] } as const satisfies Access;

/** The agent itself and its owner. */
const agentOrOwner = { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent, or its owner.' } as const satisfies Access;
const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

const lamports = z.int().describe('In lamports');

const sweep = z
  .object({
    id: z.string(),
    amount_lamports: lamports,
    tx_hash: z.string(),
    swept_at: wireTime,
    token_mint: z
      .string()
      .nullable()
      .describe('Null: the chain shows no token on record that it belongs to; it is the float that pays network fees'),
  })
  .meta({ id: 'FeeSweep', description: 'SOL that arrived in the vault' });

const payout = z
  .object({
    id: z.string(),
    share: z.enum(['agent', 'partner', 'buyback']),
    recipient_wallet: z.string(),
    agent_id: agentId.nullable(),
    token_mint: z.string().nullable(),
    amount_lamports: lamports,
    tx_hash: z.string().nullable().describe('Of the bytes sent last; null until they are signed'),
    status: z.enum(['pending', 'paid', 'failed']),
    reason: z.string().nullable().describe('Why it waits or failed'),
    created_at: wireTime,
    paid_at: wireTime.nullable(),
  })
  .meta({ id: 'FeePayout' });

const line = z
  .object({
    at: wireTime,
    kind: z.enum(['receipt', 'payout']),
    id: z.string(),
    tx_hash: z.string().nullable(),
    agent_id: agentId.nullable(),
    token_mint: z.string().nullable(),
    agent_lamports: lamports,
    partner_lamports: lamports,
    buyback_lamports: lamports,
    float_lamports: lamports.describe('SOL of the vault that belongs to no token, less network fees'),
    status: z.enum(['booked', 'pending', 'paid', 'failed']),
  })
  .meta({ id: 'FeeLine', description: 'Positive: more is owed to that share; negative: paid out. A failed payout counts as nothing' });

const exampleHash = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const examplePayout = {
  id: 'payout_1700000000000_k3v9x1q7a',
  share: 'agent',
  recipient_wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  agent_id: exampleAgent.agent_id,
  token_mint: exampleMint,
  amount_lamports: 65_000_000,
  tx_hash: exampleHash,
  status: 'paid',
  reason: null,
  created_at: '2026-11-15 14:05:00',
  paid_at: '2026-11-15 14:06:00',
} as const;

const exampleSweep = {
  id: `sweep_${exampleHash.slice(0, 16)}`,
  amount_lamports: 100_000_000,
  tx_hash: exampleHash,
  swept_at: '2026-11-15 14:00:00',
  token_mint: exampleMint,
} as const;

export const feeOperations = {
  balance: defineOperation({
    summary: 'Read the creator fees in total and per token',
    output: {
      data: z.object({
        total_swept_lamports: lamports.describe('Arrived in the vault, for tokens'),
        total_paid_out_lamports: lamports,
        vault_balance_lamports: lamports.describe('On chain, the float included'),
        total_earned_lamports: lamports.describe('Booked to agents, partner and buyback'),
        total_historical_creator_fees_sol: z.number(),
        owed_lamports: z.object({ agents: lamports, partner: lamports, buyback: lamports }).describe('Booked and not paid out'),
        float_lamports: lamports.describe('Pays network fees'),
        vault_address: z.string(),
        per_token_fees: z.array(
          z.object({
            mint: z.string(),
            agent_id: agentId,
            distributableFeesLamports: lamports.describe('The agent’s share that was not paid out'),
            canDistribute: z.boolean().describe('At least 0.03 SOL'),
            isGraduated: z.boolean().nullable().describe('Null: not known here'),
          }),
        ),
      }),
    },
    errors: ['fees_unavailable', 'chain_unavailable'],
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/fees/balance' },
    examples: [
      {
        title: 'One token',
        data: {
          total_swept_lamports: 100_000_000,
          total_paid_out_lamports: 0,
          vault_balance_lamports: 1_100_000_000,
          total_earned_lamports: 100_000_000,
          total_historical_creator_fees_sol: 0.1,
          owed_lamports: { agents: 65_000_000, partner: 23_330_000, buyback: 11_670_000 },
          float_lamports: 1_000_000_000,
          vault_address: examplePayout.recipient_wallet,
          per_token_fees: [
            {
              mint: exampleMint,
              agent_id: exampleAgent.agent_id,
              distributableFeesLamports: 65_000_000,
              canDistribute: true,
              isGraduated: null,
            },
          ],
        },
      },
    ],
  }),

  collect: defineOperation({
    summary: 'Book the trading fees that arrived',
    description: 'Reads the vault’s final transactions now instead of at the next round, and shares out what they brought.',
    output: { data: z.object({ amount_lamports: lamports, tx_hash: z.string().describe('The newest of them') }) },
    errors: ['fees_unavailable', 'fee_vault_empty', 'chain_unavailable'],
    power: 'operate',
    access: writers,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/fees/collect' },
    examples: [{ title: 'One receipt', data: { amount_lamports: 100_000_000, tx_hash: exampleHash } }],
  }),

  payout: defineOperation({
    summary: 'Pay out a share of creator fees',
    description:
      'Reserves the amount and sends it in the background, once. `tx_hash` is null until it is signed; read it from the list of payouts.',
    input: {
      body: z.object({
        recipient_wallet: solanaAddress,
        agent_id: z.string().min(1).max(80).optional().describe('Required for the agent’s share'),
        token_mint: solanaAddress.optional().describe('Required for the agent’s share'),
        amount_lamports: z
          .int('amount_lamports must be a whole number of lamports.')
          .min(1, 'amount_lamports must be above 0.')
          .max(feeBounds.payoutLamports, 'amount_lamports must be at most 10000000000 (10 SOL).'),
        share: z.enum(['agent', 'partner', 'buyback']).default('agent'),
      }),
    },
    output: { data: z.object({ payout_id: z.string(), tx_hash: z.string().nullable(), status: z.enum(['pending', 'paid', 'failed']) }) },
    errors: ['fees_unavailable', 'agent_not_found', 'fee_share_too_small', 'fee_float_missing'],
    power: 'operate',
    access: writers,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/fees/payout' },
    examples: [
      {
        title: 'The agent’s share',
        input: {
          recipient_wallet: examplePayout.recipient_wallet,
          agent_id: exampleAgent.agent_id,
          token_mint: exampleMint,
          amount_lamports: 65_000_000,
        },
        data: { payout_id: examplePayout.id, tx_hash: null, status: 'pending' },
      },
    ],
  }),

  claimable: defineOperation({
    summary: 'Read what the token of an agent earned it',
    description:
      'The agent’s share of trading fees, in SOL, and where a claim sends it: the Solana payout wallet, else the owner’s, else its own.',
    input: { path: ofAgent },
    output: {
      data: z.object({
        totalEarnedSol: z.number(),
        totalSentSol: z.number().describe('Paid or on its way'),
        paidSol: z.number(),
        claimableSol: z.number(),
        minClaimSol: z.number(),
        payoutWallet: z.string(),
        feeVault: z.string().nullable().describe('Where fees of the token arrive; null where this service collects none'),
        feeMemo: z
          .string()
          .nullable()
          .describe(
            'The wallet that created the token sends its fees to `feeVault` with this memo behind the transfer. Null without a token, and for coins whose program shares out fees itself',
          ),
      }),
    },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: agentOrOwner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/token/claim' },
    examples: [
      {
        title: 'Something to claim',
        input: { id: 'tallyrook' },
        data: {
          totalEarnedSol: 0.065,
          totalSentSol: 0,
          paidSol: 0,
          claimableSol: 0.065,
          minClaimSol: 0.03,
          payoutWallet: examplePayout.recipient_wallet,
          feeVault: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
          feeMemo: `market-creator-fee:${exampleMint}`,
        },
      },
    ],
  }),

  claim: defineOperation({
    summary: 'Claim what the token of an agent earned it',
    description: 'Sends the claimable share, at least 0.03 and at most 10 SOL, to `payoutWallet` in the background, once. Less is skipped.',
    input: { path: ofAgent },
    output: {
      data: z.object({
        agentId,
        status: z.enum(['paid', 'pending', 'skipped']).describe('`pending`: reserved, being sent'),
        reason: z.string().optional().describe('Why it was skipped'),
        paidLamports: lamports.optional(),
        payout_id: z.string().optional(),
        txHash: z.string().optional(),
      }),
    },
    errors: ['agent_not_found', 'forbidden', 'fees_unavailable'],
    power: 'fund',
    proofs: ['signature', 'single_use', 'sign_in', 'linked_wallet'],
    access: agentOrOwner,
    limit: furtherRateLimits.claimFees,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/token/claim' },
    examples: [
      {
        title: 'A claim',
        input: { id: 'tallyrook' },
        data: { agentId: exampleAgent.agent_id, status: 'pending', paidLamports: 65_000_000, payout_id: examplePayout.id },
      },
    ],
  }),

  sweeps: defineOperation({
    summary: 'List what arrived in the fee vault',
    description: 'The newest 50.',
    output: { data: z.array(sweep) },
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/fees/sweeps' },
    examples: [{ title: 'One receipt', data: [exampleSweep] }],
  }),

  payouts: defineOperation({
    summary: 'List payouts of creator fees',
    description: 'The newest 100.',
    input: { query: z.object({ wallet: solanaAddress.optional().describe('Only those to this wallet') }) },
    output: { data: z.array(payout) },
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/fees/payouts' },
    examples: [{ title: 'One payout', data: [examplePayout] }],
  }),

  history: defineOperation({
    summary: 'Read the history of creator fees',
    description: 'Receipts and payouts, newest first. Send `Accept: text/csv` to get a file.',
    input: {
      query: z.object({
        token_mint: solanaAddress.optional().describe('Only those of this token'),
        ...searchIn('token', 'transaction', 'ids'),
        ...pageQuery(100, 1000),
      }),
    },
    output: { data: z.object({ lines: z.array(line) }), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/fees/history', csvOf: 'lines' },
    examples: [
      {
        title: 'One receipt',
        data: {
          lines: [
            {
              at: '2026-11-15 14:00:00',
              kind: 'receipt',
              id: exampleSweep.id,
              tx_hash: exampleHash,
              agent_id: exampleAgent.agent_id,
              token_mint: exampleMint,
              agent_lamports: 65_000_000,
              partner_lamports: 23_330_000,
              buyback_lamports: 11_670_000,
              float_lamports: 0,
              status: 'booked',
            },
          ],
        },
      },
    ],
  }),

  assign: defineOperation({
    summary: 'Assign a receipt of the vault to a token',
    description: 'For trading fees whose transaction names no token on record. Shares them out as if it had.',
    input: { body: z.object({ tx_hash: z.string().min(64).max(88), token_mint: solanaAddress.describe('A token on record') }) },
    output: { data: sweep },
    errors: ['fee_receipt_unknown', 'fee_receipt_assigned', 'token_mint_unknown', 'fee_share_too_small'],
    power: 'operate',
    access: writers,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/fees/assign' },
    examples: [{ title: 'Fees of a token', input: { tx_hash: exampleHash, token_mint: exampleMint }, data: exampleSweep }],
  }),
};
