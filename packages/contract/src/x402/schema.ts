import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { agentId, orderId, serviceId } from '../kernel/ids.ts';
import { namedOnlyNetworks, networkName, networkNames, paymentChains } from '../kernel/networks.ts';
import { untrustedText } from '../kernel/untrusted-text.ts';
import { othersText, text, usdAmount, wireTime } from '../kernel/wire.ts';
import { ORDER_TOKEN_END, orderDurations } from '../orders/durations.ts';
import { machinePayout } from '../orders/instant-payout.ts';
import { paymentChain } from '../orders/schema.ts';
import { requirementFields } from '../services/requirements.ts';

/** The specification's requirement object, in every flat challenge and in the catalogue. */
export const paymentRequirement = z
  .object({
    version: z.literal('1'),
    scheme: z.literal('exact'),
    network: networkName,
    asset: z.object({ currency: z.literal('USDC'), address: z.string() }).meta({ id: 'UsdcAsset' }),
    payTo: z.string(),
    maxAmountRequired: z.string().regex(/^\d+$/).describe('Micro-USDC: 5.50 USD is 5500000'),
    description: othersText,
    resource: z.string(),
    mimeType: z.string(),
    maxTimeoutSeconds: z.int(),
    amount: z.string().regex(/^\d+$/).describe('The same amount, named as in version 2'),
    extra: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'PaymentRequirement' });

/** Field for a network by any of its names; the server refuses unknown names. */
function chosenNetwork(meaning: string) {
  return z
    .string()
    .max(100)
    .optional()
    .describe(`${meaning}. Its short name (${paymentChains.join(', ')}), its name (${networkNames.join(', ')}) or its CAIP-2 name`);
}

/** Query field with the meaning of X-Payment-Network, for clients that cannot set headers. */
export const challengeChain = chosenNetwork('Network to pay on');

/** Headers that carry a payment. Header names are not case-sensitive. */
export const paymentHeaders = z.object({
  x_payment: z.string().max(8192).optional().describe('Solana signature, EVM transaction hash, or an x402 payment in base64'),
  payment_signature: z.string().max(8192).optional().describe('An x402 version 2 payment in base64'),
  x_payment_network: chosenNetwork(`Network to pay on, and network of a transaction reference; needed for ${namedOnlyNetworks.join(', ')}`),
});

export const machineBrief = text(1, 3000, 'brief').describe('The work order, in your words');
export const machineRequirements = z
  .record(z.string().max(80), z.union([z.string().max(2000), z.number(), z.boolean()]))
  .describe('Answers to the service’s requirement fields, by label. They replace a missing brief');

export const challengeVersion = z.enum(['1', '2']).optional().describe('`1`: the body of a 402 in the strict form of version 1');

export const hireSettlement = z
  .enum(['instant', 'on_approval'])
  .describe(
    `\`instant\`: the provider is paid once the payment is final; \`on_approval\`: the price is held until you approve, or ${orderDurations.reviewHours} hours pass`,
  );

/** The part of a payment above the price. */
export const paymentSurplus = z
  .object({
    amount_usd: usdAmount,
    chain: paymentChain,
    owed_to: z.string().describe('The wallet that paid'),
    note: z.string(),
  })
  .meta({ id: 'PaymentSurplus' });
export type PaymentSurplus = z.output<typeof paymentSurplus>;

const surplusField = paymentSurplus
  .nullable()
  .describe('The amount above the price and how to get it back; null when the payment was exact');

/** The provider's payout at the time of the answer. The older fields `attempted` and `paid` follow from `status`. */
export const payoutOutlook = z
  .object({
    status: z
      .enum(['queued', 'held', 'sent', 'paid', 'failed', 'returned'])
      .describe(
        '`queued`: leaves as soon as the payment is final · `held`: see `held_until` and `note` · `sent`: on its way · `paid`: final on its chain · `failed`: see `error` · `returned`: the order was cancelled',
      ),
    amount_usd: z.number(),
    chain: paymentChain,
    destination: z.string().nullable().describe('Receiver as planned now; fixed once the transfer is sent'),
    held_until: wireTime.nullable().describe('When the contest window of a bare transfer ends'),
    note: z.string(),
    attempted: z.boolean().describe('A transfer was sent or tried'),
    paid: z.boolean(),
    tx_hash: z.string().nullable(),
    error: z.string().optional(),
  })
  .meta({ id: 'PayoutOutlook' });
export type PayoutOutlook = z.output<typeof payoutOutlook>;

export const machineReceipt = z
  .object({
    payment_verified: z.literal(true),
    payer_wallet: z.string(),
    total_charged_usd: z.number(),
    platform_fee_usd: z.number(),
    provider_payout_usd: z.number(),
    tx_signature: z.string(),
    payment_chain: paymentChain,
    settled_via: z.enum(['transfer', 'facilitator']),
    surplus: surplusField,
    payout: payoutOutlook,
  })
  .meta({ id: 'MachineReceipt' });

/** Receipt of a paid registration. The whole payment is the price. */
export const registrationReceipt = machineReceipt
  .pick({
    payment_verified: true,
    payer_wallet: true,
    total_charged_usd: true,
    tx_signature: true,
    payment_chain: true,
    settled_via: true,
    surplus: true,
  })
  .meta({ id: 'RegistrationReceipt' });

/** Two tokens of one order: the read token may stand in a URL, the buyer token acts and may not. */
export const orderTokenFields = {
  read_token: z
    .string()
    .nullable()
    .describe(
      'Only reads this order: as `Authorization: Bearer …`, or as `?read_token=` of a GET. Given to the proven payer, and to the first presenter of a bare transaction reference. A repetition gets it with a signature of the wallet that paid, with the same payment identifier, or once for a standard payment whose answer was lost; otherwise null',
    ),
  buyer_token: z
    .string()
    .nullable()
    .describe(
      'Acts as the buyer of this order, as `Authorization: Bearer …`. An address that carries it is refused. Given to the proven payer only: with the first answer to a standard payment, or with a signature of the wallet that paid',
    ),
  token_expires_at: wireTime.nullable().describe(`Both tokens work ${ORDER_TOKEN_END}. This is the latest end`),
} as const;

export const machineHire = z
  .object({
    order_id: orderId,
    status: z.string(),
    status_url: z
      .string()
      .describe(
        'GET it with `Authorization: Bearer <read_token>`, with `?read_token=<read_token>`, or with a signature of the wallet that paid',
      ),
    result_url: z.string(),
    ...orderTokenFields,
    poll_hint: z.string(),
    contestable_until: wireTime
      .nullable()
      .describe('Until then the wallet that paid can move this payment to another request by signing; null where the payer is proven'),
    x402: machineReceipt,
  })
  .meta({ id: 'MachineHire' });

export const payableService = z
  .object({
    service_id: serviceId,
    title: othersText,
    description: othersText,
    category,
    agent_id: agentId,
    agent_name: othersText,
    agent_slug: z.string(),
    turnaround_hours: z.int(),
    deliverables: z.array(othersText),
    quota_limit: z.int(),
    requirement_fields: requirementFields.nullable(),
    price_usd: z.number(),
    platform_fee_usd: z.number(),
    total_charged_usd: z.number(),
    discover_url: z.string(),
    order_url: z.string(),
    payout: machinePayout.describe('When the provider is paid, and why that may be later than the hire'),
    payments: z.record(z.string(), paymentRequirement).describe('One requirement per network, by its short name'),
  })
  .meta({ id: 'PayableService' });

export const trendingService = z
  .object({
    service_id: serviceId,
    title: othersText,
    category,
    price_usd: usdAmount,
    agent_id: agentId,
    agent_name: othersText,
    agent_slug: z.string(),
    order_count: z.int(),
    distinct_buyers: z.int(),
    last_order_at: wireTime.nullable(),
    score: z.number(),
  })
  .meta({ id: 'TrendingService' });

/** A record of x402, in the form of its version. Its description contains the service title, which is untrusted. */
const x402Record = z.looseObject({ description: othersText.optional() }).meta({ id: 'X402Record' });

/** An entry in the format of x402 resource catalogues. */
export const discoveredResource = z
  .object({
    resource: z.url().describe('Call it without payment to get the challenge'),
    type: z.literal('http'),
    x402Version: z.union([z.literal(1), z.literal(2)]),
    accepts: z.array(x402Record).min(1).describe('Payment requirements in the form of that version'),
    lastUpdated: z.iso.datetime(),
    metadata: z.object({
      name: othersText,
      description: othersText,
      category,
      provider: othersText,
      payout: machinePayout,
      input: z.record(z.string(), z.unknown()).describe('JSON Schema of the input of a hire'),
      output: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer'),
    }),
  })
  .meta({ id: 'DiscoveredResource' });

export const resourcePagination = z
  .object({
    limit: z.int(),
    offset: z.int(),
    total: z.int().describe('Counted up to 1000'),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'ResourcePagination' });

export const x402Manifest = z
  .object({
    'x-untrusted-text': untrustedText,
    x402Version: z.literal(2),
    version: z.literal(1).describe('Of this document'),
    name: z.string(),
    instructions: z.string(),
    resources: z.array(z.url()).describe('Addresses that answer 402 with the price'),
    items: z.array(discoveredResource),
    kinds: z
      .array(z.object({ x402Version: z.int(), scheme: z.literal('exact'), network: z.string(), extra: z.record(z.string(), z.unknown()) }))
      .describe('Kinds of standard payments that we settle'),
    links: z.record(z.string(), z.url()),
    next: z.url().nullable().describe('Address of the next page'),
  })
  .meta({ id: 'X402Manifest' });

/** A service that programs can hire, in search results. */
export const foundService = z
  .object({
    service_id: serviceId,
    title: othersText,
    category,
    agent_id: agentId,
    agent_name: othersText,
    agent_slug: z.string(),
    price_type: z.literal('fixed'),
    price_usd: z.number(),
    total_charged_usd: z.number().describe('What a hire costs, with the marketplace’s fee'),
    turnaround_hours: z.int(),
    discover_url: z.string().describe('Hire by GET or POST here'),
    pay_url: z.string().describe('Hire by POST here'),
  })
  .meta({ id: 'FoundService' });

/** The challenge of a hire, as a 200 answer. */
export const hireRequirements = z
  .object({
    http_status: z.literal(402).describe('The status a paid address answers this with'),
    x402Version: z.literal(2),
    error: z.string(),
    resource: x402Record,
    accepts: z.array(z.record(z.string(), z.unknown())).describe('For x402 payments: pay one of them'),
    extensions: z.record(z.string(), z.unknown()),
    payments: z
      .record(z.string(), paymentRequirement)
      .describe('For a transfer of your own: one requirement per network, by its short name'),
    price_usd: z.number(),
    platform_fee_usd: z.number(),
    total_charged_usd: z.number(),
  })
  .meta({ id: 'HireRequirements' });

/** A version 2 challenge with signed offers, served at `offersUrl` of the extension `offer-receipt`. */
export const signedChallenge = z
  .object({
    x402Version: z.literal(2),
    error: z.string(),
    resource: x402Record,
    accepts: z.array(z.record(z.string(), z.unknown())).min(1),
    extensions: z.record(z.string(), z.unknown()).describe('`offer-receipt` holds one JWS per entry of `accepts`'),
    'x-untrusted-text': untrustedText.optional(),
  })
  .meta({ id: 'SignedChallenge' });

export const payableOpenApi = z
  .looseObject({
    openapi: z.literal('3.1.0'),
    info: z.record(z.string(), z.unknown()),
    servers: z.array(z.object({ url: z.url() })),
    paths: z.record(z.string(), z.unknown()),
    'x-next': z.url().optional().describe('Address of the next page'),
  })
  .meta({ id: 'PayableOpenApi' });
