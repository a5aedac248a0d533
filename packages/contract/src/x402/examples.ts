import { exampleAgent } from '../agents/examples.ts';
import { untrustedTextIn } from '../kernel/untrusted-text.ts';
import { describeMachinePayout } from '../orders/instant-payout.ts';

/** The x402 hire of every example. */

const requirement = {
  version: '1',
  scheme: 'exact',
  network: 'base-mainnet',
  asset: { currency: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxAmountRequired: '5500000',
  description: 'Mercato: A logo from a sentence (svc_1700000000000_m1p2z8r4c)',
  resource: 'https://market.example/api/orders',
  mimeType: 'application/json',
  maxTimeoutSeconds: 120,
  amount: '5500000',
  extra: { name: 'USD Coin', version: '2' },
} as const;

export const examplePayable = {
  service_id: 'svc_1700000000000_m1p2z8r4c',
  title: 'A logo from a sentence',
  description: 'One square logo in three colours, from one sentence about your business.',
  category: 'image_gen',
  agent_id: exampleAgent.id,
  agent_name: exampleAgent.name,
  agent_slug: exampleAgent.slug,
  turnaround_hours: 1,
  deliverables: ['One PNG, 1024 by 1024'],
  quota_limit: 0,
  requirement_fields: null,
  price_usd: 5,
  platform_fee_usd: 0.5,
  total_charged_usd: 5.5,
  discover_url: '/api/x402/discover/svc_1700000000000_m1p2z8r4c',
  order_url: '/api/orders',
  payout: describeMachinePayout(false),
  payments: { base: requirement },
} as const;

export const exampleHire = {
  order_id: 'ord_1700000000000_k3v9x1q7a',
  status: 'paid',
  status_url: 'https://market.example/api/orders/ord_1700000000000_k3v9x1q7a',
  result_url: 'https://market.example/api/orders/ord_1700000000000_k3v9x1q7a',
  read_token: 'order_9b1c…',
  buyer_token: 'buyer_4e07…',
  token_expires_at: '2024-02-12 22:13:20',
  poll_hint:
    'GET status_url with the header "Authorization: Bearer <read_token>" (or add ?read_token=<read_token>) every 30 seconds until status is delivered. To act as the buyer, send buyer_token as bearer; never put it into an address.',
  contestable_until: null,
  x402: {
    payment_verified: true,
    payer_wallet: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
    total_charged_usd: 5.5,
    platform_fee_usd: 0.5,
    provider_payout_usd: 5,
    tx_signature: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
    payment_chain: 'base',
    settled_via: 'facilitator',
    surplus: null,
    payout: {
      status: 'queued',
      amount_usd: 5,
      chain: 'base',
      destination: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      held_until: null,
      note: 'It leaves as soon as the payment is final.',
      attempted: false,
      paid: false,
      tx_hash: null,
    },
  },
} as const;

export const exampleTrending = {
  service_id: examplePayable.service_id,
  title: examplePayable.title,
  category: 'image_gen',
  price_usd: '5.00',
  agent_id: exampleAgent.id,
  agent_name: exampleAgent.name,
  agent_slug: exampleAgent.slug,
  order_count: 12,
  distinct_buyers: 7,
  last_order_at: '2026-11-15 12:00:00',
  score: 37.5,
} as const;

const hireAddress = 'https://market.example/api/x402/discover/svc_1700000000000_m1p2z8r4c';

export const exampleSignedChallenge = {
  x402Version: 2,
  error: 'X-PAYMENT or PAYMENT-SIGNATURE header is required',
  resource: { url: hireAddress, description: requirement.description, mimeType: 'application/json' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: requirement.amount,
      asset: requirement.asset.address,
      payTo: requirement.payTo,
      maxTimeoutSeconds: 120,
      extra: requirement.extra,
    },
  ],
  extensions: { 'offer-receipt': { info: { offers: [{ format: 'jws', acceptIndex: 0, signature: 'eyJhbGciOiJFZERTQSJ9.eyJ2….k0T…' }] } } },
} as const;

export const exampleRequirements = {
  ...exampleSignedChallenge,
  http_status: 402,
  extensions: {},
  payments: examplePayable.payments,
  price_usd: 5,
  platform_fee_usd: 0.5,
  total_charged_usd: 5.5,
} as const;

export const exampleResource = {
  resource: 'https://market.example/api/x402/discover/svc_1700000000000_m1p2z8r4c?x402Version=1',
  type: 'http',
  x402Version: 1,
  accepts: [
    {
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '5500000',
      resource: 'https://market.example/api/x402/discover/svc_1700000000000_m1p2z8r4c?x402Version=1',
      description: requirement.description,
      mimeType: 'application/json',
      payTo: requirement.payTo,
      maxTimeoutSeconds: 120,
      asset: requirement.asset.address,
      extra: requirement.extra,
    },
  ],
  lastUpdated: '2026-11-15T12:00:00.000Z',
  metadata: {
    name: examplePayable.title,
    description: examplePayable.description,
    category: 'image_gen',
    provider: exampleAgent.name,
    payout: describeMachinePayout(false),
    input: { type: 'object', properties: { brief: { type: 'string' } }, required: ['brief'] },
    output: { type: 'object', properties: { order_id: { type: 'string' } } },
  },
} as const;

export const exampleSecondResource = {
  ...exampleResource,
  resource: hireAddress,
  x402Version: 2,
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '5500000',
      asset: requirement.asset.address,
      payTo: requirement.payTo,
      maxTimeoutSeconds: 120,
      extra: requirement.extra,
    },
  ],
} as const;

export const exampleManifest = {
  'x-untrusted-text': untrustedTextIn(['/items/*/metadata/name', '/items/*/metadata/description', '/items/*/metadata/provider']),
  x402Version: 2,
  version: 1,
  name: 'Mercato',
  instructions: 'Call a resource without payment: the 402 says what to pay.',
  resources: [hireAddress],
  items: [exampleSecondResource],
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453', extra: requirement.extra }],
  links: { services: 'https://market.example/api/x402/services', openapi: 'https://market.example/openapi.json' },
  next: null,
} as const;

export const exampleOpenApi = {
  openapi: '3.1.0',
  info: { title: 'Mercato', version: '1.0.0' },
  servers: [{ url: 'https://market.example' }],
  paths: { '/api/x402/discover/svc_1700000000000_m1p2z8r4c': { get: { operationId: 'x402_svc_1700000000000_m1p2z8r4c' } } },
} as const;
