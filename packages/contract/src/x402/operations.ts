import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { category } from '../kernel/categories.ts';
import { pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { untrustedText, untrustedTextIn } from '../kernel/untrusted-text.ts';
import { paymentChain } from '../orders/schema.ts';
import { trendingWeightRule } from '../reputation/words.ts';
import { searchedWords } from '../services/schema.ts';
import { machinePaymentErrors } from './errors.ts';
import {
  exampleHire,
  exampleManifest,
  exampleOpenApi,
  examplePayable,
  exampleResource,
  exampleSecondResource,
  exampleSignedChallenge,
  exampleTrending,
} from './examples.ts';
import {
  challengeChain,
  challengeVersion,
  discoveredResource,
  hireSettlement,
  machineBrief,
  machineHire,
  machineRequirements,
  payableOpenApi,
  payableService,
  paymentHeaders,
  paymentRequirement,
  resourcePagination,
  signedChallenge,
  trendingService,
  x402Manifest,
} from './schema.ts';
import { hireToolOperations } from './tool-operations.ts';

const anyone = { accepts: ['anonymous', 'api_key'] } as const;
/** Access of payers: a signature of the paying wallet proves the owner of a public reference. */
const payers = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] } as const;

const hireHeaders = paymentHeaders.extend({
  x_market_brief: z.string().max(4000).optional().describe('The brief, where there is no body'),
});
const hireDescription =
  'Without payment it answers 402 with the price: in the body, and as the standard challenge in the header PAYMENT-REQUIRED. Pay 110% of the price (10% is the marketplace’s fee) and repeat the request with the payment: a transaction reference in X-PAYMENT, or an x402 payment of version 1 (X-PAYMENT) or 2 (PAYMENT-SIGNATURE). A repeat of the same payment with the same request gets the same answer. So does another payment of the same payer with the same payment identifier (extension `payment-identifier`); it is not charged.';

const hireQuery = {
  brief: machineBrief.optional(),
  chain: challengeChain,
  x402Version: challengeVersion,
  settlement: hireSettlement.default('instant'),
};

/** Paging of documents. Programs read them whole, so pages are larger; the most hired services come first. */
function documentPage(defaultLimit: number) {
  const { limit, cursor } = pageQuery(defaultLimit, 1000);
  return { limit, cursor };
}

const manifest = {
  summary: 'List payable resources',
  description:
    'Lists payable resources, without the envelope: `resources` holds addresses, `items` full entries. `next` is the address of the next page.',
  input: { query: z.object(documentPage(200)) },
  output: { data: x402Manifest, bare: true },
  errors: ['invalid_cursor'],
  power: 'public',
  access: anyone,
  limit: furtherRateLimits.x402Feeds,
  effects: { kind: 'read' },
  examples: [{ title: 'One service', input: { limit: 1 }, data: exampleManifest }],
} as const;

/** The specification shows these fields both in `data` and beside it. */
const hireExtras = z.object({ order_id: z.string(), status: z.string(), result_url: z.string() });

/** The parts that three addresses of the same hire share. */
const hireOperation = {
  description: hireDescription,
  output: { data: machineHire, extras: hireExtras },
  errors: machinePaymentErrors,
  challenge: 'accepts',
  power: 'spend',
  access: payers,
  effects: { kind: 'pay', idempotent: true },
  examples: [{ title: 'Paid', input: { service_id: examplePayable.service_id, brief: 'A logo for a bakery.' }, data: exampleHire }],
} as const;

export const x402Operations = {
  ...hireToolOperations,

  services: defineOperation({
    summary: 'List services that programs can hire',
    description:
      'Lists every service with a fixed price, the most hired first, with the payment for each network. Agents must be in good standing. `chain` limits `payments` to one network.',
    input: { query: z.object({ chain: paymentChain.optional(), category: category.optional(), q: searchedWords, ...pageQuery(50, 200) }) },
    output: {
      data: z.object({
        count: z.int().describe('Rows on this page'),
        total: z.int().describe('Services that match the filters, counted up to 1000'),
        total_capped: z.boolean().describe('There are more than `total`'),
        limit: z.int(),
        offset: z.int(),
        next_cursor: z.string().nullable().describe('Pass as `cursor` for the next page; null on the last one'),
        services: z.array(payableService),
      }),
      extras: z.object({ untrusted_text: untrustedText }),
      headers: z.object({ x_payment_scheme: z.literal('exact'), x_payment_asset: z.literal('USDC') }),
    },
    errors: ['invalid_cursor', 'network_not_available'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Feeds,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/services' },
    examples: [
      {
        title: 'The first one',
        input: { limit: 1 },
        data: { count: 1, total: 1, total_capped: false, limit: 1, offset: 0, next_cursor: null, services: [examplePayable] },
        extras: { untrusted_text: untrustedTextIn(['/data/services/*/title', '/data/services/*/description']) },
      },
    ],
  }),

  discover: defineOperation({
    summary: 'Hire a service by paying for it',
    ...hireOperation,
    input: { path: z.object({ service_id: z.string().min(1).max(80) }), query: z.object(hireQuery), headers: hireHeaders },
    limit: rateLimitTable.x402Discover,
    rest: { method: 'GET', path: '/api/x402/discover/{service_id}' },
  }),

  discoverByBody: defineOperation({
    summary: 'Hire a service by paying for it, with a body',
    ...hireOperation,
    input: {
      path: z.object({ service_id: z.string().min(1).max(80) }),
      query: z.object({ chain: challengeChain, x402Version: challengeVersion }),
      body: z.object({
        brief: machineBrief.optional(),
        requirements: machineRequirements.optional(),
        settlement: hireSettlement.default('instant'),
      }),
      headers: hireHeaders,
    },
    limit: rateLimitTable.x402Pay,
    rest: { method: 'POST', path: '/api/x402/discover/{service_id}', eitherPlace: ['brief', 'settlement'], alsoByGet: true },
  }),

  discoverByQuery: defineOperation({
    summary: 'Ask what a service costs, or hire it',
    ...hireOperation,
    input: { query: z.object({ service_id: z.string().min(1).max(80), ...hireQuery }), headers: hireHeaders },
    limit: rateLimitTable.x402Discover,
    rest: { method: 'GET', path: '/api/x402/discover' },
  }),

  pay: defineOperation({
    summary: 'Hire a service in one call',
    description: `${hireDescription} The 402 here is one flat requirement for one network. \`service_id\`, \`brief\` and \`settlement\` may stand in the query or in the body; where both hold one, they must agree.`,
    input: {
      query: z.object({
        service_id: z.string().min(1).max(80).describe('Service id, such as svc_1700000000000_k3v9x1q7a'),
        chain: challengeChain,
        x402Version: challengeVersion,
      }),
      body: z.object({
        brief: machineBrief.optional(),
        requirements: machineRequirements.optional(),
        settlement: hireSettlement.default('instant'),
      }),
      headers: hireHeaders,
    },
    output: { data: machineHire },
    errors: machinePaymentErrors,
    challenge: 'flat',
    power: 'spend',
    access: payers,
    limit: rateLimitTable.x402Pay,
    effects: { kind: 'pay', idempotent: true },
    rest: { method: 'POST', path: '/api/x402/pay', eitherPlace: ['service_id', 'brief', 'settlement'] },
    mcp: {
      tool: 'market_submit_payment',
      title: 'Hire by payment',
      use: 'Call it to hire: with `tx_signature` of a transfer you made, or without, to be asked for an x402 payment. Find services with market_search_agents.',
      description:
        'Pay 110% of the price (10% is the marketplace’s fee), then name the transfer in `tx_signature`; or answer the payment challenge with an x402 payment of version 2 in `_meta["x402/payment"]`. A paid call needs `brief` or `requirements`. The answer holds `order_id` and `status_url`. The same payment with the same arguments gets the same answer and is never charged twice.',
      scopes: ['hire'],
      names: { tx_signature: 'x_payment' },
    },
    examples: [{ title: 'Paid', input: { service_id: examplePayable.service_id, brief: 'A logo for a bakery.' }, data: exampleHire }],
  }),

  quote: defineOperation({
    summary: 'Ask what one hire costs on one network',
    description: 'Answers 402 with one flat requirement, as POST does without a payment.',
    input: {
      query: z.object({ service_id: z.string().min(1).max(80), chain: challengeChain, x402Version: challengeVersion }),
      headers: paymentHeaders.pick({ x_payment_network: true }),
    },
    output: { data: paymentRequirement },
    errors: [
      'payment_required',
      'service_not_found',
      'agent_not_hireable',
      'service_not_payable',
      'network_not_available',
      'no_payment_network',
    ],
    challenge: 'flat',
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Quote,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/pay' },
    examples: [{ title: 'On Solana', input: { service_id: examplePayable.service_id }, data: examplePayable.payments.base }],
  }),

  offers: defineOperation({
    summary: 'Read signed offers',
    description:
      'Returns the challenge of a payable address with signed offers, without the envelope: extension `offer-receipt`, one JWS per entry of `accepts`. Challenges name this address as `offersUrl`, because signatures would make their header too long for proxies.',
    input: {
      query: z.object({
        at: z
          .enum(['discover', 'discover_query', 'pay', 'orders', 'register'])
          .describe('Which payable address: discovery by path or by query, pay, orders, or registration'),
        service_id: z.string().min(1).max(80).optional().describe('Required, except for `register`'),
        chain: challengeChain,
      }),
    },
    output: { data: signedChallenge, bare: true },
    errors: ['service_not_found', 'agent_not_hireable', 'service_not_payable', 'no_payment_network', 'offers_not_signed'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Quote,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/offers' },
    examples: [{ title: 'Of one service', input: { at: 'discover', service_id: examplePayable.service_id }, data: exampleSignedChallenge }],
  }),

  trending: defineOperation({
    summary: 'List the most hired services',
    description: `Ranks services by completed orders between strangers, paid within the window. The score is \`n + 2·d + f\`: \`n\` is what the orders weigh, \`d\` the buyers, each at most 1 and no more than their orders weigh, and \`f\` the orders again, each times \`1 − age/window\`. ${trendingWeightRule} Services without an order that weighs are left out. \`order_count\` and \`distinct_buyers\` count all paid orders and rank nothing.`,
    input: {
      query: z.object({
        ...searchIn('title', 'agent', 'category', 'ids'),
        limit: z.coerce.number<number>().int().min(1).max(50).default(20),
        window_days: z.coerce.number<number>().int().min(1).max(90).default(30),
      }),
    },
    output: {
      data: z.object({ window_days: z.int(), count: z.int(), services: z.array(trendingService) }),
      extras: z.object({ untrusted_text: untrustedText }),
    },
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Feeds,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/trending' },
    examples: [
      {
        title: 'This month',
        data: { window_days: 30, count: 1, services: [exampleTrending] },
        extras: { untrusted_text: untrustedTextIn(['/data/services/*/title', '/data/services/*/agent_name']) },
      },
    ],
  }),

  directory: defineOperation({
    summary: 'List payable resources for directories',
    description: 'Lists payable resources in x402 version 1, which every catalogue reads. The addresses answer in version 1.',
    input: { query: z.object({ type: z.enum(['http']).optional(), q: searchedWords, ...pageQuery(50, 100) }) },
    output: {
      data: z.object({ x402Version: z.literal(1), count: z.int(), resources: z.array(discoveredResource) }),
      extras: z.object({
        x402Version: z.literal(1),
        items: z.array(discoveredResource).describe('The same entries, for readers of version 2'),
        pagination: resourcePagination,
        untrusted_text: untrustedText,
      }),
    },
    errors: ['invalid_cursor'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Feeds,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/directory' },
    examples: [
      {
        title: 'One entry',
        input: { limit: 1 },
        data: { x402Version: 1, count: 1, resources: [exampleResource] },
        extras: {
          items: [exampleResource],
          pagination: { limit: 1, offset: 0, total: 1, next_cursor: null },
          untrusted_text: untrustedTextIn(['/items/*/metadata/name', '/items/*/metadata/description']),
        },
      },
    ],
  }),

  discoveryResources: defineOperation({
    summary: 'List payable resources as a facilitator does',
    description: 'The discovery call of x402 facilitators, version 2, without the envelope. Standard clients list services with it.',
    input: { query: z.object({ type: z.enum(['http']).optional(), ...pageQuery(50, 100) }) },
    output: {
      data: z.object({
        'x-untrusted-text': untrustedText,
        x402Version: z.literal(2),
        items: z.array(discoveredResource),
        pagination: resourcePagination,
      }),
      bare: true,
    },
    errors: ['invalid_cursor'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Feeds,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/discovery/resources' },
    examples: [
      {
        title: 'One entry',
        input: { limit: 1 },
        data: {
          'x-untrusted-text': exampleManifest['x-untrusted-text'],
          x402Version: 2,
          items: [exampleSecondResource],
          pagination: { limit: 1, offset: 0, total: 1, next_cursor: null },
        },
      },
    ],
  }),

  manifest: defineOperation({ ...manifest, rest: { method: 'GET', path: '/.well-known/x402' } }),

  /** The manifest under the name of newer proposals. */
  manifestFile: defineOperation({ ...manifest, rest: { method: 'GET', path: '/.well-known/x402.json' } }),

  openApi: defineOperation({
    summary: 'Describe every payable service as OpenAPI',
    description:
      'OpenAPI 3.1 without the envelope: one path with one operation per payable service, the most hired first. `x-next` is the address of the next page. /api/openapi.json describes the whole API.',
    input: { query: z.object(documentPage(1000)) },
    output: { data: payableOpenApi, bare: true },
    errors: ['invalid_cursor'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Feeds,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/openapi.json' },
    examples: [{ title: 'One service', input: { limit: 1 }, data: exampleOpenApi }],
  }),
};
