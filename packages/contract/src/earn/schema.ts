/** Wire shapes of Earn. */
import { z } from 'zod';
import { waitingFields } from '../accounts/moves/schema.ts';
import { agentId } from '../kernel/ids.ts';
import { networkName, paymentChains } from '../kernel/networks.ts';
import { wireTime } from '../kernel/wire.ts';
import { earnDepositStatuses, earnWithdrawalStatuses } from './lifecycle.ts';
import { earnLimits } from './limits.ts';
import { earnStrategies } from './words.ts';

export const micros = z
  .string()
  .regex(/^\d+$/)
  .meta({ id: 'EarnMicros', description: 'Micro-USDC as a whole number', examples: ['100000000'] });
export const signedMicros = z.string().regex(/^-?\d+$/);
const units = z
  .string()
  .regex(/^\d+$/)
  .meta({ id: 'EarnUnits', description: 'Shares, or units of the venue, as a whole number', examples: ['100000000'] });
export const sixUsd = z
  .string()
  .regex(/^-?\d+\.\d{6}$/)
  .meta({ id: 'EarnUsd', description: 'USD amount with exactly 6 decimals', examples: ['100.000000'] });

const KEY = /^[a-z0-9][a-z0-9_-]{0,39}(:[a-z0-9][a-z0-9_-]{0,39})?$/;
export const vaultKey = z
  .string()
  .regex(KEY, 'Not a vault key.')
  .meta({
    id: 'EarnVaultKey',
    description: '`venue:market`; a bare market name means the liquidity-provision venue',
    examples: ['lend:usdc'],
  });

const strategy = z.enum(earnStrategies).meta({ id: 'EarnStrategy', description: 'How the vault earns' });
const chain = z.enum(paymentChains).describe('Network by its short name');
const hash = z.string().nullable();
const apr = z.number().nullable().describe('Percent per year; null when it is not known');

export const slippageBps = z
  .int('slippage_bps must be a whole number.')
  .min(earnLimits.leastSlippageBps, `slippage_bps must be ${earnLimits.leastSlippageBps} to ${earnLimits.mostSlippageBps}.`)
  .max(earnLimits.mostSlippageBps, `slippage_bps must be ${earnLimits.leastSlippageBps} to ${earnLimits.mostSlippageBps}.`)
  .default(earnLimits.defaultSlippageBps)
  .describe('How far the price may move against you, in hundredths of a percent. Otherwise nothing is moved');

/** Fields that name a vault: `key` wins over `venue` and `market`. */
export const vaultFields = {
  key: vaultKey.optional().describe('Vault; wins over `venue` and `market`'),
  venue: z.string().min(1).max(40).optional().describe('Default: the liquidity-provision venue, or the first one'),
  market: z.string().min(1).max(40).optional().describe('Default: the first of the venue'),
};

const queue = z
  .object({ waiting: z.int().min(0), owed_micro: micros.describe('What the waiting units are worth now') })
  .meta({ id: 'EarnQueue', description: 'Withdrawals that wait for liquidity' });

const marketFields = {
  venue: z.string(),
  market: z.string(),
  key: vaultKey,
  label: z.string(),
  strategy,
  network: networkName,
  payment_chain: chain,
  treasury_wallet: z.string().describe('Send USDC of `network` here, then register the transfer'),
  total_usdc_micro: micros.describe('The whole venue'),
  available_usdc_micro: micros.describe('What the venue can pay out now'),
  paused: z.boolean(),
  depositable: z.boolean(),
  not_depositable_reason: z.string().nullable(),
  min_deposit_usd: sixUsd,
  share_price: z.string().describe('USDC per share, with 9 decimals; 1.000000000 while nobody holds shares'),
  pool_value_micro: micros.describe('What our depositors hold in the venue'),
  unvested_micro: micros.describe(
    `Of recognised harvests, not in the share price yet: each accrues evenly over ${earnLimits.harvestDays} days to those who hold shares`,
  ),
  queue,
  stale: z.boolean().describe('The venue cannot be read now; the figures are those of `read_at`'),
  read_at: wireTime.nullable(),
};

const lendingMarket = z.object({ ...marketFields, apr_pct: apr }).meta({ id: 'EarnLendingMarket' });

export const poolMarket = z
  .object({
    ...marketFields,
    escrowed_usdc_micro: micros.describe('0: the venue states it within `available_usdc_micro`'),
    reserved_usdc_micro: micros,
    queue_total_owed_micro: micros,
    lp_supply: units,
    stressed: z.boolean().describe('Withdrawals wait'),
    fee_apr_pct: apr.describe('Estimated from the fees of 24 hours, of which providers get 60%'),
  })
  .meta({ id: 'EarnPoolMarket' });

const earnProduct = z
  .object({
    id: strategy,
    kind: strategy,
    label: z.string(),
    risk: z.enum(['lower', 'higher']),
    risk_text: z.string(),
    apr_label: z.string(),
    headline_apr_pct: apr.describe('The best one'),
    total_tvl_micro: micros,
    markets: z.array(z.union([poolMarket, lendingMarket])),
  })
  .meta({ id: 'EarnProduct' });

export const earnMarkets = z.object({
  treasury_wallet: z.string().nullable().describe('Where deposits go, when all venues share one network; else see each market'),
  enabled: z.array(z.string()).describe('Markets for liquidity provision'),
  markets: z.array(poolMarket),
  products: z.array(earnProduct).describe('Lower risk first'),
});

export const earnPosition = z
  .object({
    vault_id: z.string(),
    pool_market: vaultKey.nullable(),
    key: vaultKey,
    venue: z.string(),
    market: z.string(),
    label: z.string(),
    network: networkName,
    strategy,
    shares: units,
    principal_usd: sixUsd.describe('What was paid in for these shares'),
    value_usd: sixUsd.nullable().describe('What the venue would pay for them now; null when it was never read'),
    gain_usd: sixUsd.nullable(),
    share_price: z.string().nullable(),
    stale: z.boolean(),
    owned_by: z.string().describe('`you`, the wallet, or the agent’s name'),
    agent_id: agentId.nullable(),
    wallet: z.string().nullable().describe('The wallet that owns it; null for accounts and agents'),
  })
  .meta({ id: 'EarnPosition' });

const depositStatus = z.enum(earnDepositStatuses).meta({ id: 'EarnDepositStatus' });
const withdrawalStatus = z.enum(earnWithdrawalStatuses).meta({ id: 'EarnWithdrawalStatus' });
/** One list, not a union of two: some generators join named lists before they declare them. */
const movementStatus = z.enum([...earnDepositStatuses, ...earnWithdrawalStatuses]).meta({ id: 'EarnMovementStatus' });

export const depositAnswer = z
  .object({
    deposit_id: z.string(),
    status: depositStatus,
    state_text: z.string(),
    venue: z.string(),
    market: z.string(),
    key: vaultKey,
    network: networkName,
    amount_usd: sixUsd,
    reason: z.string().nullable(),
    tx_hash: hash.describe('The deploy transaction; null until it was sent'),
    incoming_tx_hash: z.string(),
    shares_minted: units.nullable(),
    lp_minted: units.nullable().describe('Units of the venue'),
    position: z.object({ shares: units, principal_usd: sixUsd }).nullable(),
    refund: z.object({ status: z.string(), destination: z.string(), tx_hash: hash }).nullable(),
  })
  .meta({ id: 'EarnDeposit' });

const withdrawPart = z
  .object({
    number: z.int().min(1),
    units,
    received_micro: micros,
    redeem_tx_hash: hash,
    payout_tx_hash: hash,
    status: z.string(),
    at: wireTime,
  })
  .meta({ id: 'EarnWithdrawalPart' });

const withdrawalFields = {
  withdrawal_id: z.string().nullable().describe('Null while it waits'),
  state_text: z.string(),
  key: vaultKey,
  venue: z.string(),
  market: z.string(),
  network: networkName,
  shares_burned: units,
  units,
  units_left: units.describe('Not paid by the venue yet'),
  value_micro_estimate: micros.nullable().describe('What the units left are worth now. They keep earning and losing'),
  received_micro_usdc: micros.describe('What the venue paid'),
  paid_micro: micros.describe('What arrived at the destination'),
  destination_wallet: z.string(),
  place: z.int().min(1).nullable().describe('In the queue; null when no units are left'),
  ahead_micro: micros.nullable().describe('What waits before it'),
  estimate_at: wireTime.nullable().describe('When it may be paid, from what the venue freed lately; null when unknown'),
  tx_hash: hash.describe('The last payout'),
  queue_entry: z.literal('pending').nullable(),
  note: z.string().nullable(),
};

export const withdrawAnswer = z
  .object({
    status: z
      .enum(['settled', 'queued', 'waiting'])
      .describe(
        '`settled`: everything was paid. `waiting`: nothing is burned before `effective_at`. Otherwise `queued`, and `state` says how far it came',
      ),
    state: withdrawalStatus.nullable().describe('Null while it waits'),
    ...withdrawalFields,
    ...waitingFields,
  })
  .meta({ id: 'EarnWithdrawal' });

export const earnMovement = z
  .object({
    id: z.string(),
    kind: z.enum(['deposit', 'withdraw']),
    status: movementStatus,
    state_text: z.string(),
    key: vaultKey,
    label: z.string(),
    network: networkName,
    strategy,
    owned_by: z.string(),
    agent_id: agentId.nullable(),
    wallet: z.string().nullable(),
    amount_usd: sixUsd.nullable().describe('Of a deposit what was sent, of a withdrawal what the venue paid so far'),
    shares: units.nullable(),
    units: units.nullable(),
    units_left: units.nullable(),
    value_micro_estimate: micros.nullable(),
    place: z.int().min(1).nullable(),
    ahead_micro: micros.nullable(),
    estimate_at: wireTime.nullable(),
    destination: z.string().nullable(),
    reason: z.string().nullable(),
    incoming_tx_hash: hash,
    deploy_tx_hash: hash,
    refund_tx_hash: hash,
    explorer_url: z.string().nullable().describe('Append a transaction hash; null where the network has no public explorer'),
    parts: z.array(withdrawPart),
    created_at: wireTime,
    settled_at: wireTime.nullable(),
  })
  .meta({ id: 'EarnMovement' });

export const earnPoint = z
  .object({ at: wireTime, share_price: z.string(), apr_pct: apr, total_usdc_micro: micros, available_usdc_micro: micros })
  .meta({ id: 'EarnPoint' });

export const sweepRule = z
  .object({
    enabled: z.boolean(),
    key: vaultKey.nullable(),
    above_usd: sixUsd.describe('What stays in the wallet'),
    daily_limit_usd: sixUsd.describe('The most that is moved within 24 hours'),
    moved_today_usd: sixUsd,
    updated_at: wireTime.nullable(),
    last_problem: z.string().nullable().describe('Why the last sweep moved nothing'),
  })
  .meta({ id: 'EarnSweep' });

export const agentDeposit = z
  .object({
    transfer_id: z.string(),
    status: z.enum(['sending', 'sent', 'registered', 'failed']).describe('`registered`: the deposit exists; follow `deposit_id`'),
    amount_usd: sixUsd,
    key: vaultKey,
    tx_hash: hash,
    deposit_id: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'EarnAgentDeposit' });

export const adminVault = z
  .object({
    key: vaultKey,
    label: z.string(),
    venue: z.string(),
    market: z.string(),
    network: networkName,
    strategy,
    venue_address: z.string(),
    router_address: z.string(),
    problem: z.string().nullable().describe('Why the venue cannot be used'),
    deposits_open: z.boolean(),
    impaired_at: wireTime.nullable(),
    total_shares: units,
    total_units: units,
    queued_units: units,
    unvested_units: units.describe('Of harvests, not accrued yet'),
    held_units: units.nullable().describe('On chain; null when it cannot be read'),
    drift_units: signedMicros.nullable().describe('On chain minus book'),
    holders: z.int().min(0),
    waiting: z.int().min(0),
    open_deposits_micro: micros,
    pool_value_micro: micros.nullable(),
  })
  .meta({ id: 'EarnAdminVault' });
