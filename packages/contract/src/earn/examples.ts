import { exampleAgent } from '../agents/examples.ts';
import { earnProducts, queuedNote } from './words.ts';

const hash = '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036';
const wallet = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const treasury = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';

export const exampleHashes = { incoming: hash, wallet, treasury } as const;

const market = {
  network: 'base-mainnet',
  payment_chain: 'base',
  treasury_wallet: treasury,
  paused: false,
  depositable: true,
  not_depositable_reason: null,
  min_deposit_usd: '0.010000',
  share_price: '1.012345678',
  pool_value_micro: '2530864195',
  queue: { waiting: 0, owed_micro: '0' },
  stale: false,
  read_at: '2026-11-15 14:00:00',
} as const;

const exampleLendingMarket = {
  ...market,
  venue: 'lend',
  market: 'usdc',
  key: 'lend:usdc',
  label: 'Lending vault',
  strategy: 'lending',
  total_usdc_micro: '5000000000000',
  available_usdc_micro: '400000000000',
  apr_pct: 4.8,
} as const;

export const examplePoolMarket = {
  ...market,
  venue: 'pool',
  market: 'crypto-usd',
  key: 'crypto-usd',
  label: 'Crypto pool',
  strategy: 'liquidity_provision',
  total_usdc_micro: '900000000000',
  available_usdc_micro: '250000000000',
  escrowed_usdc_micro: '0',
  reserved_usdc_micro: '0',
  queue_total_owed_micro: '0',
  lp_supply: '890000000000',
  stressed: false,
  fee_apr_pct: 11.2,
} as const;

export const exampleMarkets = {
  treasury_wallet: treasury,
  enabled: ['crypto-usd'],
  markets: [examplePoolMarket],
  products: [
    {
      id: 'lending',
      kind: 'lending',
      label: earnProducts.lending.label,
      risk: 'lower',
      risk_text: earnProducts.lending.riskText,
      apr_label: 'Supply APY',
      headline_apr_pct: 4.8,
      total_tvl_micro: '5000000000000',
      markets: [exampleLendingMarket],
    },
    {
      id: 'liquidity_provision',
      kind: 'liquidity_provision',
      label: earnProducts.liquidity_provision.label,
      risk: 'higher',
      risk_text: earnProducts.liquidity_provision.riskText,
      apr_label: 'Fee APR',
      headline_apr_pct: 11.2,
      total_tvl_micro: '900000000000',
      markets: [examplePoolMarket],
    },
  ],
} as const;

export const examplePosition = {
  vault_id: 'lend:usdc',
  pool_market: 'lend:usdc',
  key: 'lend:usdc',
  venue: 'lend',
  market: 'usdc',
  label: 'Lending vault',
  network: 'base-mainnet',
  strategy: 'lending',
  shares: '250000000',
  principal_usd: '250.000000',
  value_usd: '253.086419',
  gain_usd: '3.086419',
  share_price: '1.012345678',
  stale: false,
  owned_by: exampleAgent.name,
  agent_id: exampleAgent.agent_id,
  wallet: null,
} as const;

export const exampleDeposit = {
  deposit_id: 'dep_4f1d2c3b5a6978877665544332211000',
  status: 'deployed',
  state_text: '250.00 USDC is in Lending vault and belongs to your position.',
  venue: 'lend',
  market: 'usdc',
  key: 'lend:usdc',
  network: 'base-mainnet',
  amount_usd: '250.000000',
  reason: null,
  tx_hash: '0x9b1d7c5c0f4d1a0b6c1f1e9d8c7b6a5948372615f0e1d2c3b4a5968778695a4b',
  incoming_tx_hash: hash,
  shares_minted: '250000000',
  lp_minted: '250000000',
  position: { shares: '250000000', principal_usd: '250.000000' },
  refund: null,
} as const;

export const exampleWithdrawal = {
  status: 'queued',
  state: 'queued',
  withdrawal_id: 'wdr_1700000000000_k3v9x1q7a',
  state_text: 'You are first in the queue of Lending vault. We pay as soon as it has USDC free.',
  key: 'lend:usdc',
  venue: 'lend',
  market: 'usdc',
  network: 'base-mainnet',
  shares_burned: '250000000',
  units: '250000000',
  units_left: '250000000',
  value_micro_estimate: '253086419',
  received_micro_usdc: '0',
  paid_micro: '0',
  destination_wallet: wallet,
  place: 1,
  ahead_micro: '0',
  estimate_at: null,
  tx_hash: null,
  queue_entry: 'pending',
  note: queuedNote,
} as const;

export const exampleMovement = {
  id: exampleDeposit.deposit_id,
  kind: 'deposit',
  status: 'deployed',
  state_text: exampleDeposit.state_text,
  key: 'lend:usdc',
  label: 'Lending vault',
  network: 'base-mainnet',
  strategy: 'lending',
  owned_by: exampleAgent.name,
  agent_id: exampleAgent.agent_id,
  wallet: null,
  amount_usd: '250.000000',
  shares: '250000000',
  units: '250000000',
  units_left: null,
  value_micro_estimate: null,
  place: null,
  ahead_micro: null,
  estimate_at: null,
  destination: null,
  reason: null,
  incoming_tx_hash: hash,
  deploy_tx_hash: exampleDeposit.tx_hash,
  refund_tx_hash: null,
  explorer_url: null,
  parts: [],
  created_at: '2026-11-15 14:05:00',
  settled_at: '2026-11-15 14:05:20',
} as const;

export const exampleSweep = {
  enabled: true,
  key: 'lend:usdc',
  above_usd: '500.000000',
  daily_limit_usd: '1000.000000',
  moved_today_usd: '0.000000',
  updated_at: '2026-11-15 14:05:00',
  last_problem: null,
} as const;

export const exampleAdminVault = {
  key: 'lend:usdc',
  label: 'Lending vault',
  venue: 'lend',
  market: 'usdc',
  network: 'base-mainnet',
  strategy: 'lending',
  venue_address: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  router_address: '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF',
  problem: null,
  deposits_open: true,
  impaired_at: null,
  total_shares: '250000000',
  total_units: '250000000',
  queued_units: '0',
  held_units: '250000000',
  drift_units: '0',
  holders: 1,
  waiting: 0,
  open_deposits_micro: '0',
  pool_value_micro: '253086419',
} as const;
