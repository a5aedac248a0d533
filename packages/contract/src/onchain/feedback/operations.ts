import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { evmAddress } from '../../kernel/wallets.ts';
import { wireTime } from '../../kernel/wire.ts';
import { orderPath } from '../../orders/schema.ts';
import { weightRule } from '../../reputation/words.ts';

const author = {
  accepts: ['api_key', 'idp', 'wallet', 'order_token'],
  rule: 'The author of the review: the buyer of the order.',
} as const satisfies Access;

const hash = z.string().regex(/^0x[0-9a-f]{64}$/, 'Must be 0x and 64 hex characters.');
const hex = z.string().regex(/^0x[0-9a-f]*$/);
const ether = z.string().nullable().describe('In ETH; null while the chain cannot be asked');
const caip10 = z.string().describe('Contract as CAIP-10: `eip155:<chain id>:<address>`');

const feedbackCost = z
  .object({
    wallet: z.string().describe('The wallet that this is about'),
    cost_eth: ether.describe('Gas at today’s price, in ETH, with the data fee of Base'),
    required_eth: ether.describe('Balance with which nodes accept the transaction; what is not used stays in the wallet'),
    balance_eth: ether.describe('What the wallet holds on Base'),
  })
  .meta({ id: 'OnchainFeedbackCost' });

const onchainFeedback = z
  .object({
    status: z
      .enum(['none', 'sent', 'published'])
      .describe('`sent`: in a block that is not final yet; it goes on by itself. `published`: final on chain'),
    registry: caip10.describe('Reputation Registry that takes the feedback, as CAIP-10'),
    agent_registry: caip10.describe('Identity Registry of the agent, as CAIP-10'),
    agent_id: z.string().describe('Id of the agent in it'),
    value: z.int().min(0).max(100).describe('The rating as the registry gets it: 20 per star'),
    wallets: z.array(z.string()).describe('Your wallets that can publish it; empty: link a Base wallet first'),
    cost: feedbackCost.nullable().describe('Null once it was sent, and without a wallet'),
    file_url: z.string().nullable().describe('The feedback file; null until it was sent'),
    tx_hash: z.string().nullable(),
    explorer_url: z.string().nullable(),
    published_at: wireTime.nullable(),
  })
  .meta({ id: 'OnchainFeedback' });

const unsignedCall = z
  .object({
    chain_id: z.int(),
    from: z.string(),
    to: z.string().describe('The Reputation Registry'),
    data: hex.describe('`giveFeedback(agentId, value, 0, "starred", "", "", file_url, file_hash)`'),
    value: z.literal('0x0'),
    gas: hex,
    max_fee_per_gas: hex,
    max_priority_fee_per_gas: hex,
    nonce: z.int(),
  })
  .meta({ id: 'UnsignedFeedbackCall' });

const preparedFeedback = z
  .object({
    registry: caip10,
    agent_id: z.string(),
    value: z.int(),
    file_url: z.string(),
    file_hash: hash.describe('keccak256 of the bytes at `file_url`'),
    cost: feedbackCost,
    transaction: unsignedCall,
  })
  .meta({ id: 'PreparedFeedback' });

const paymentProof = z
  .object({
    fromAddress: z.string(),
    toAddress: z.string().describe('The marketplace, which held the payment in escrow'),
    chainId: z.string().describe('Chain id of EVM networks; the CAIP-2 id of others'),
    txHash: z.string(),
  })
  .meta({ id: 'FeedbackPaymentProof' });

const feedbackFile = z
  .object({
    agentRegistry: z.string(),
    agentId: z.int(),
    clientAddress: z.string().describe('CAIP-10'),
    createdAt: z.string().describe('When the review was written, ISO 8601'),
    value: z.int(),
    valueDecimals: z.int(),
    tag1: z.string(),
    reputationRegistry: z.string(),
    reviewId: z.string(),
    orderId: z.string(),
    priceUsd: z.string().optional().describe('The price that the provider asked. Files from before November 2026 lack it'),
    weight: z.number().optional().describe(`What the order weighs in the reputation here, above 0 and at most 1. ${weightRule}`),
    comment: z.string().optional(),
    proofOfPayment: paymentProof,
  })
  .meta({ id: 'FeedbackFile' });

const orderIdExample = 'ord_1700000000000_k3v9x1q7a';
const wallet = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const registry = 'eip155:8453:0x8004BAa17C55a88189AE136b182e5fdA19dE9b63';
const agentRegistry = 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';
const transactionHash = '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036';
const fileHash = '0x9f2b1c3b4a5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7';
const fileUrl = `https://market.example.com/api/onchain-feedback/${fileHash}/feedback.json`;
const cost = { wallet, cost_eth: '0.0000021', required_eth: '0.0000051', balance_eth: '0.005' };
const none = {
  status: 'none',
  registry,
  agent_registry: agentRegistry,
  agent_id: '4217',
  value: 100,
  wallets: [wallet],
  cost,
  file_url: null,
  tx_hash: null,
  explorer_url: null,
  published_at: null,
} as const;

export const onchainFeedbackOperations = {
  read: defineOperation({
    summary: 'Read whether a review is published on chain, and what it costs',
    description:
      'For reviews of agents in the ERC-8004 Identity Registry. Shows the cost at today’s gas price for one of your wallets. Reading publishes nothing.',
    input: {
      path: orderPath,
      query: z.object({
        client_wallet: evmAddress.optional().describe('The wallet that would publish; the first of `wallets` unless given'),
      }),
    },
    output: { data: onchainFeedback },
    errors: [
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'review_not_found',
      'agent_not_onchain',
      'onchain_feedback_wallet',
      'onchain_feedback_unavailable',
    ],
    power: 'read',
    access: author,
    limit: furtherRateLimits.onchainFeedback,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/orders/{id}/onchain-feedback' },
    examples: [{ title: 'Not published', input: { id: orderIdExample }, data: none }],
  }),

  prepare: defineOperation({
    summary: 'Prepare a review for publishing on chain (ERC-8004)',
    description:
      'Stores the feedback file, which never changes again, and returns the call that your wallet sends to the Reputation Registry. Nothing is sent. The registry refuses feedback from an agent’s own wallets, so the buyer’s wallet sends it and pays the gas. Publishing shows your wallet and your comment to everybody, for ever.',
    input: { path: orderPath, body: z.object({ client_wallet: evmAddress.describe('A Base wallet that is proven to be yours') }) },
    output: { data: preparedFeedback },
    errors: [
      'onchain_feedback_too_small',
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'review_not_found',
      'agent_not_onchain',
      'onchain_feedback_hidden',
      'onchain_feedback_wallet',
      'onchain_feedback_exists',
      'onchain_feedback_refused',
      'onchain_feedback_unavailable',
      'chain_unavailable',
    ],
    power: 'buy',
    access: author,
    limit: furtherRateLimits.onchainFeedback,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/orders/{id}/onchain-feedback/prepare' },
    examples: [
      {
        title: 'Five of five',
        input: { id: orderIdExample, client_wallet: wallet },
        data: {
          registry,
          agent_id: '4217',
          value: 100,
          file_url: fileUrl,
          file_hash: fileHash,
          cost,
          transaction: {
            chain_id: 8453,
            from: wallet,
            to: '0x8004BAa17C55a88189AE136b182e5fdA19dE9b63',
            data: '0x3c036a7e',
            value: '0x0',
            gas: '0x3d090',
            max_fee_per_gas: '0xf4240',
            max_priority_fee_per_gas: '0x186a0',
            nonce: 7,
          },
        },
      },
    ],
  }),

  record: defineOperation({
    summary: 'Record the transaction that published a review',
    description:
      'The chain is asked: the registry’s event must show this agent, your wallet, this rating and the hash of the prepared file. It counts as published when its block is final. Repeating the call changes nothing.',
    input: {
      path: orderPath,
      body: z.object({ tx_hash: z.string().min(1).max(200).describe('Hash of the transaction that your wallet sent') }),
    },
    output: { data: onchainFeedback },
    errors: [
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'review_not_found',
      'agent_not_onchain',
      'invalid_payment_reference',
      'onchain_feedback_exists',
      'onchain_feedback_not_prepared',
      'onchain_feedback_not_found',
      'onchain_feedback_failed',
      'onchain_feedback_mismatch',
      'onchain_feedback_unavailable',
      'chain_unavailable',
    ],
    power: 'buy',
    access: author,
    limit: furtherRateLimits.onchainFeedback,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/orders/{id}/onchain-feedback' },
    examples: [
      {
        title: 'In a block, not final yet',
        input: { id: orderIdExample, tx_hash: transactionHash },
        data: { ...none, status: 'sent', cost: null, file_url: fileUrl, tx_hash: transactionHash },
      },
    ],
  }),

  file: defineOperation({
    summary: 'Read the feedback file of a published review',
    description:
      'The document that the Reputation Registry’s event points at, in the form of ERC-8004, with the payment as proof. Its bytes never change: their keccak256 is in the address and on chain. 410 while the operators hide the agent.',
    input: { path: z.object({ hash: hash.describe('keccak256 of the file') }) },
    output: { data: feedbackFile, bare: true },
    errors: ['feedback_file_not_found', 'feedback_file_withdrawn'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/onchain-feedback/{hash}/feedback.json' },
    examples: [
      {
        title: 'Five of five',
        input: { hash: fileHash },
        data: {
          agentRegistry,
          agentId: 4217,
          clientAddress: `eip155:8453:${wallet}`,
          createdAt: '2026-11-15T16:00:00.000Z',
          value: 100,
          valueDecimals: 0,
          tag1: 'starred',
          reputationRegistry: registry,
          reviewId: 'rev_1700000000000_k3v9x1q7a',
          orderId: orderIdExample,
          comment: 'Found the missing invoice in an hour.',
          proofOfPayment: {
            fromAddress: wallet,
            toAddress: '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF',
            chainId: '8453',
            txHash: transactionHash,
          },
        },
      },
    ],
  }),
};
