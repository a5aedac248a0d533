/** Operations of operators in Earn. */
import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { searchIn } from '../kernel/page.ts';
import { text, wireTime } from '../kernel/wire.ts';
import { exampleAdminVault, exampleDeposit, exampleHashes, exampleMovement } from './examples.ts';
import { earnLimits } from './limits.ts';
import { adminVault, depositAnswer, micros, signedMicros, sixUsd, vaultKey } from './schema.ts';

const readers = { accepts: ['admin', 'admin_key'] } as const satisfies Access;
const writers = { accepts: ['admin'] } as const satisfies Access;

const heldDeposit = z
  .object({
    deposit_id: z.string(),
    key: vaultKey,
    amount_usd: sixUsd,
    payer: z.string(),
    owner: z.string().describe('Kind and id'),
    reason: z.string().nullable(),
    incoming_tx_hash: z.string(),
    created_at: wireTime,
  })
  .meta({ id: 'EarnHeldDeposit' });

const activityEntry = z
  .object({
    id: z.string(),
    direction: z.enum(['deposit', 'withdraw']),
    poolMarket: vaultKey,
    ownerKind: z.enum(['agent', 'user', 'wallet']),
    ownerId: z.string(),
    ownerName: z.string().nullable(),
    ownerAvatarUrl: z.string().nullable(),
    amountUsd: sixUsd.nullable(),
    status: z.string(),
    txHash: z.string().nullable(),
    destination: z.string().nullable(),
    createdAt: wireTime,
  })
  .meta({ id: 'EarnActivityEntry' });

export const earnAdministration = {
  overview: defineOperation({
    summary: 'Read all vaults, held deposits and the queue',
    output: {
      data: z.object({
        vaults: z.array(adminVault),
        held: z.array(heldDeposit),
        totals: z.object({ deposits_micro: micros, paid_micro: micros, owed_micro: micros.describe('Redeemed and not paid yet') }),
      }),
    },
    errors: ['earn_unavailable'],
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/admin/earn' },
    examples: [
      {
        title: 'One vault',
        data: { vaults: [exampleAdminVault], held: [], totals: { deposits_micro: '250000000', paid_micro: '0', owed_micro: '0' } },
      },
    ],
  }),

  resolveDeposit: defineOperation({
    summary: 'Decide on a held deposit',
    description: '`retry` deploys it again; `refund` sends it back to the wallet it came from. The action is logged.',
    input: {
      path: z.object({ id: z.string().min(1).max(80).describe('Deposit id') }),
      body: z.object({ action: z.enum(['retry', 'refund']), reason: text(3, 500, 'reason').describe('For the log') }),
    },
    output: { data: depositAnswer },
    errors: ['earn_deposit_not_found', 'earn_deposit_not_held'],
    power: 'operate',
    access: writers,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/admin/earn/deposits/{id}' },
    examples: [
      {
        title: 'Send it back',
        input: { id: exampleDeposit.deposit_id, action: 'refund', reason: 'The venue closed.' },
        data: {
          ...exampleDeposit,
          status: 'refunding',
          state_text: 'Lending vault did not take the deposit. 250.00 USDC is on its way back to the wallet it came from.',
          tx_hash: null,
          shares_minted: null,
          lp_minted: null,
          position: null,
          refund: { status: 'queued', destination: exampleHashes.wallet, tx_hash: null },
        },
      },
    ],
  }),

  manageVault: defineOperation({
    summary: 'Open or close deposits, or recognise a difference',
    description: `\`recognise: loss\` spreads units that are missing on chain over holders and queue; \`harvest\` lets units that came without a deposit accrue to holders of shares, evenly over ${earnLimits.harvestDays} days. The action is logged.`,
    input: {
      path: z.object({ key: vaultKey }),
      body: z
        .object({
          deposits_open: z.boolean().optional(),
          recognise: z.enum(['loss', 'harvest']).optional(),
          reason: text(3, 500, 'reason').describe('For the log'),
        })
        .refine((body) => body.deposits_open !== undefined || body.recognise !== undefined, 'Send deposits_open, recognise, or both.'),
    },
    output: { data: adminVault.extend({ recognised_units: signedMicros.nullable() }) },
    errors: ['earn_unavailable', 'earn_venue_unavailable', 'earn_vault_not_found', 'earn_nothing_to_recognise'],
    power: 'operate',
    access: writers,
    effects: { kind: 'write' },
    rest: { method: 'PATCH', path: '/api/admin/earn/vaults/{key}' },
    examples: [
      {
        title: 'Close deposits',
        input: { key: 'lend:usdc', deposits_open: false, reason: 'The venue announced maintenance.' },
        data: { ...exampleAdminVault, deposits_open: false, recognised_units: null },
      },
    ],
  }),

  activity: defineOperation({
    summary: 'Read deposits and withdrawals of all owners',
    input: {
      query: z.object({
        direction: z.enum(['all', 'deposit', 'withdraw']).default('all'),
        ...searchIn('vault', 'owner', 'id', 'address', 'transaction'),
        limit: z.coerce.number<number>().int().min(1).max(100).default(25),
        offset: z.coerce.number<number>().int().min(0).max(1_000_000).default(0),
      }),
    },
    output: { data: z.object({ entries: z.array(activityEntry), total: z.int().min(0) }) },
    errors: ['earn_unavailable'],
    power: 'operate',
    access: readers,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/metrics/earn-activity' },
    examples: [
      {
        title: 'One deposit',
        data: {
          entries: [
            {
              id: exampleMovement.id,
              direction: 'deposit',
              poolMarket: 'lend:usdc',
              ownerKind: 'agent',
              ownerId: exampleMovement.agent_id,
              ownerName: 'Tallyrook',
              ownerAvatarUrl: null,
              amountUsd: '250.000000',
              status: 'deployed',
              txHash: exampleHashes.incoming,
              destination: null,
              createdAt: '2026-11-15 14:05:00',
            },
          ],
          total: 1,
        },
      },
    ],
  }),
};
