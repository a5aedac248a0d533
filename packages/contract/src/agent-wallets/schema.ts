/** Wire shapes of agents' server wallets. */
import { z } from 'zod';
import { waitingFields } from '../accounts/moves/schema.ts';
import { moveId } from '../kernel/ids.ts';
import { networkName, paymentChains } from '../kernel/networks.ts';
import { usdAmount, wireTime } from '../kernel/wire.ts';

export const walletAsset = z.enum(['usdc', 'native']).describe('`native` is the coin of the chain: SOL or ETH');

export const walletNetworkChain = z.enum(paymentChains, `chain must be one of ${paymentChains.join(', ')}.`);

const PLAIN_DECIMAL = /^\d{1,12}(?:\.\d{1,18})?$/;

/** An amount in units of its asset: plain decimal notation, above zero. */
export const movedAmount = z
  .union([z.string(), z.number()], 'amount must be a number above 0.')
  .refine(
    (value) => PLAIN_DECIMAL.test(String(value)) && /[1-9]/.test(String(value)),
    'amount must be above 0, in plain decimal notation such as "25.00". Omit it to move everything.',
  );

/** `"1.5"` and 9 decimals → `1500000000n`; undefined with more decimals than the asset has. */
export function parseUnits(value: string | number, decimals: number): bigint | undefined {
  const [whole = '0', fraction = ''] = String(value).split('.');
  const digits = fraction.replace(/0+$/, '');
  return digits.length > decimals ? undefined : BigInt(whole + digits.padEnd(decimals, '0'));
}

/** The inverse of `parseUnits`: `1500000000n` and 9 decimals → `"1.5"`. */
export function formatUnits(units: bigint, decimals: number): string {
  const text = units.toString().padStart(decimals + 1, '0');
  const fraction = text.slice(text.length - decimals).replace(/0+$/, '');
  const whole = text.slice(0, text.length - decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const solAmount = z.number().min(0).describe('In SOL');

const solRequirement = z
  .object({
    cost_sol: solAmount.nullable().describe('What the chain charges today, in SOL; null while it cannot be asked'),
    required_sol: solAmount.nullable().describe('What the wallet must hold: the cost and the minimum that keeps the wallet alive'),
  })
  .meta({ id: 'SolRequirement' });

const walletBalance = z
  .object({
    network: networkName,
    chain: walletNetworkChain,
    address: z.string(),
    usdc: usdAmount.nullable().describe('Null while the chain cannot be asked'),
    native: z.string().nullable().describe('Balance of the coin of the chain, in whole coins'),
    coin: z.string().describe('Symbol of that coin'),
  })
  .meta({ id: 'WalletBalance' });

const pendingAddress = z.object({ address: z.string(), effective_at: wireTime, move_id: moveId }).meta({ id: 'PendingAddress' }).nullable();

const withdrawAddresses = z
  .object({
    withdraw_address_solana: z.string().nullable(),
    withdraw_address_base: z.string().nullable().describe('Serves every EVM network'),
    pending_withdraw_address_solana: pendingAddress.describe('A changed address that still waits'),
    pending_withdraw_address_base: pendingAddress,
  })
  .meta({ id: 'WithdrawAddresses' });

export const fundingRecord = z
  .object({
    deposit_address: z.string().nullable().describe('Solana address to fund; null if there is no wallet yet'),
    balance_sol: solAmount.nullable().describe('Null while the chain cannot be asked; count it as too little'),
    balance_usdc: z.number().min(0).nullable().describe('USDC on Solana'),
    requirements: z.object({ launch: solRequirement, said: solRequirement }),
    note: z.string(),
    evm_address: z.string().nullable().describe('The wallet on every EVM network'),
    balances: z.array(walletBalance).describe('One entry per network'),
    withdraw: withdrawAddresses,
    limits: z.object({
      daily_usd: usdAmount,
      used_usd: usdAmount.describe('USDC that left within the last 24 hours, all networks together'),
    }),
  })
  .meta({ id: 'FundingRecord' });

export const movementStatuses = ['pending', 'sent', 'confirmed', 'failed'] as const;
export type MovementStatus = (typeof movementStatuses)[number];

export const walletMovement = z
  .object({
    movement_id: z.string(),
    status: z
      .enum(movementStatuses)
      .describe('`pending`: not on chain yet; `sent`: a node has it; `confirmed`: final. GET /api/agents/{id}/wallet/log shows the end'),
    tx_hash: z.string().nullable().describe('Null while nothing is signed'),
    amount_usd: usdAmount.nullable().describe('Null for the coin of the chain'),
    asset: walletAsset,
    amount: z.string().describe('In units of the asset'),
    chain: walletNetworkChain,
    destination: z.string(),
  })
  .meta({ id: 'WalletMovement' });

/** The answer to a send. A send that only the owner's account vouches for waits a day first. */
export const requestedSend = walletMovement
  .extend({
    movement_id: z.string().nullable().describe('Null while it waits'),
    status: z
      .enum([...movementStatuses, 'waiting'])
      .describe('`waiting`: it leaves at `effective_at` unless somebody cancels it; the others as for every movement'),
    amount: z.string().nullable().describe('In units of the asset; null while everything waits to be sent'),
    ...waitingFields,
  })
  .meta({ id: 'OrderedSend' });

/** The withdraw addresses, and whether this call made a change that waits. */
export const changedAddresses = withdrawAddresses
  .extend({ status: z.literal('waiting').optional().describe('The change waits; absent when it counts already'), ...waitingFields })
  .meta({ id: 'ChangedWithdrawAddresses' });

export const walletActions = [
  'send',
  'withdraw',
  'token_launch',
  'said_identity',
  'agent_registration',
  'earn_deposit',
  'withdraw_address_requested',
  'withdraw_address_changed',
  'key_exported',
] as const;
export type WalletAction = (typeof walletActions)[number];

export const walletActors = ['owner_account', 'owner_wallet', 'agent_key'] as const;
export type WalletActor = (typeof walletActors)[number];

export const walletLogEntry = z
  .object({
    id: z.string(),
    at: wireTime,
    action: z.enum(walletActions),
    by: z.enum(walletActors).describe('Credential that ordered it'),
    chain: walletNetworkChain.nullable(),
    address: z.string().nullable().describe('Destination of a movement, or the withdraw address that was set'),
    effective_at: wireTime.nullable().describe('When a requested withdraw address takes effect'),
    movement: walletMovement
      .pick({ movement_id: true, status: true, tx_hash: true, amount_usd: true, asset: true, amount: true })
      .extend({
        reason: z.string().nullable().describe('Why it waits or failed'),
        fee_paid_by_market: z.string().nullable().describe('Network fee and rent that the marketplace paid, in whole coins'),
        explorer_url: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'WalletLogEntry' });
