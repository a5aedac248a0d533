import { exampleAgent } from '../../agents/examples.ts';
import { exampleOrder, examplePaidOrder } from '../../orders/examples.ts';

const TODAY = '2026-11-15';
const AS_OF = `${TODAY} 14:05:00`;
const hired = {
  order_id: exampleOrder.id,
  service_id: exampleOrder.service_id,
  service_title: exampleOrder.service_title,
  agent_id: exampleAgent.id,
  agent_name: exampleAgent.name,
  agent_slug: exampleAgent.slug,
};
const onBase = { network: 'base-mainnet', tx_hash: examplePaidOrder.escrow_tx_hash, explorer_url: null } as const;
const span = {
  orders: 3,
  volume_usd: '426.60',
  released_usd: '162.00',
  refunded_usd: '24.00',
  completed: 1,
  machine_hires: 1,
  new_agents: 2,
};

export const examplePlatformStats = {
  marketAgents: 12,
  orders: 41,
  users: 27,
  revenue: 181.5,
  creatorFeeSol: 0,
  creatorFeeUsd: 0,
  totalRevenueUsd: 181.5,
  solPrice: 0,
  x402Orders: 9,
  x402VolumeUsd: 59.4,
  x402FeesUsd: 5.4,
  services: 26,
  orders_in_work: 4,
  orders_by_status: { paid: 2, in_progress: 2, delivered: 1, completed: 36 },
  held_usd: '612.40',
  last_24h: span,
  last_30d: span,
  as_of: AS_OF,
};

export const exampleMetrics = {
  totalRevenue: 181.5,
  totalGmv: 1815,
  creatorFeeSol: 0,
  totalOrders: 41,
  ordersByStatus: { completed: 36, delivered: 5 },
  totalAgents: 12,
  agentsWithTokens: { total: 0, pumpfun: 0, partner: 0, byot: 0 },
  servicesByCategory: { analytics: 4, coding: 3 },
  servicesByProvider: { [exampleAgent.name]: 4 },
  servicesByModel: { 'llama-4': 2 },
  topAgentsByOrders: [
    { id: exampleAgent.id, slug: exampleAgent.slug, name: exampleAgent.name, avatar_url: null, completed_orders: 9, avg_rating: 4.6 },
  ],
  avgRating: 4.4,
  ordersOverTime: [{ month: '2026-11', count: 41 }],
  solPrice: 0,
};

export const exampleActivity = {
  type: 'order',
  action: 'paid',
  id: '20417',
  title: exampleOrder.service_title,
  subtitle: 'paid',
  timestamp: AS_OF,
  avatar_url: null,
  link_id: exampleOrder.service_id,
  slug: exampleAgent.slug,
  agent_id: exampleAgent.id,
  agent_name: exampleAgent.name,
  order_id: exampleOrder.id,
  category: 'analytics',
  amount_usd: '180.00',
  network: 'base-mainnet',
  buyer: '0x83...2913',
  by_machine: false,
  rating: null,
} as const;

export const exampleBoardRow = {
  category: 'analytics',
  services: 4,
  agents: 3,
  alive_agents: 2,
  completed_orders: 3,
  median_price_usd: '150.00',
  median_delivery_seconds: 22_200,
  orders_per_day: [...Array<number>(28).fill(0), 1, 2],
} as const;

export const exampleDay = {
  day: TODAY,
  orders: 5,
  paid_orders: 3,
  machine_hires: 1,
  completed: 1,
  cancelled: 1,
  volume: [{ network: 'base-mainnet', paid_usd: '426.60' }],
  paid_usd: '426.60',
  released_usd: '162.00',
  fees_usd: '18.00',
  refunded_usd: '24.00',
} as const;

export const exampleHeldParts = {
  held_usd: '612.40',
  owed_usd: '594.40',
  own_usd: '18.00',
  on_its_way_usd: '0.00',
  unbooked_usd: '0.00',
  missing_usd: '0.00',
  covered: true,
} as const;

export const exampleHeld = {
  network: 'base-mainnet',
  ...exampleHeldParts,
  booked_usd: '612.40',
  sent_usd: '0.00',
  owed: {
    escrow_usd: '540.00',
    agents_usd: '54.40',
    refunds_usd: '0.00',
    surplus_usd: '0.00',
    unmatched_usd: '0.00',
    earn_usd: '0.00',
  },
  read_at: AS_OF,
} as const;

export const exampleHeldInVenue = {
  key: 'lend:usdc',
  network: 'base-mainnet',
  owed_usd: '2530.86',
  waiting_usd: '0.00',
  held_usd: '2530.86',
  covered: true,
  read_at: AS_OF,
} as const;

export const examplePayment = {
  kind: 'order',
  ...onBase,
  amount_usd: '180.00',
  payer: '0x83...2913',
  finality: 'final',
  ...hired,
  paid_at: AS_OF,
} as const;

export const examplePublicHire = {
  ...onBase,
  amount_usd: '6.60',
  payer: '0x83...2913',
  ...hired,
  category: 'analytics',
  status: 'delivered',
  settlement: 'instant',
  hired_at: AS_OF,
} as const;

export const examplePublicPayout = {
  kind: 'payout',
  ...onBase,
  amount_usd: '162.00',
  destination: '0x7E...5Bdf',
  state: 'confirmed',
  ...hired,
  created_at: AS_OF,
} as const;
