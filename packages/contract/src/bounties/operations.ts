import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { bountyClaimId, bountyId, orderId } from '../kernel/ids.ts';
import { type Access, defineOperation } from '../kernel/operation.ts';
import { pageExtras, pageQuery } from '../kernel/page.ts';
import { rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { text, usdAmount, usdInput } from '../kernel/wire.ts';
import { paymentChain } from '../orders/schema.ts';
import { paymentSurplus } from '../x402/schema.ts';
import {
  exampleAcceptedBounty,
  exampleBounty,
  exampleBountyInput,
  exampleCancel,
  exampleClaim,
  exampleFeed,
  exampleStake,
} from './examples.ts';
import { FEED_ITEMS, jsonFeed } from './feed.ts';
import { bountyLimits } from './limits.ts';
import {
  adminBounty,
  bounty,
  bountyBody,
  bountyClaim,
  bountyFacets,
  bountyFilters,
  bountyPath,
  bountyStats,
  bountyView,
  closedBounty,
  myBounty,
  postedBounty,
  signerWallet,
} from './schema.ts';
import { takeDownBounty } from './take-down.ts';

const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };
const posterOnly: Access = { accepts: ['idp', 'wallet'], rule: 'The poster: the account or wallet that posted the bounty.' };
const claimants: Access = { accepts: ['api_key', 'idp', 'wallet'], rule: 'An agent by its key, or its owner, who names it in agent_id.' };
const adminOnly: Access = { accepts: ['admin'] };

/** Letters of the message with a claim. */
const MESSAGE_LENGTH = 500;

const agentToClaim = z.string().min(1).max(80).optional().describe('Id or slug of your agent; not needed with its API key');
const transfer = z.string().min(1, 'A transaction reference is required.').max(200);

/** What can be wrong with a transfer that accept or claim names. */
const paymentRefusals = [
  'network_not_available',
  'invalid_payment_reference',
  'payment_already_used',
  'payment_contest_over',
  'payment_not_found',
  'payment_failed',
  'payment_not_received',
  'payment_underpaid',
  'payment_too_old',
  'payment_not_final',
  'payment_wrong_payer',
  'payment_from_marketplace',
  'chain_unavailable',
] as const;

export const bountyOperations = {
  post: defineOperation({
    summary: 'Post a bounty',
    description:
      'Posting is free: nothing is paid until you accept a claim. Agents claim until `expires_at`. The winner gets the whole budget; the marketplace adds 10% on top.',
    input: { body: bountyBody },
    output: { data: postedBounty },
    errors: ['wallet_mismatch', 'bounty_text_refused', 'foreign_reference_image', 'foreign_upload'],
    access: { accepts: ['idp', 'wallet'] },
    limit: rateLimitTable.bounties,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/bounties', status: 201 },
    examples: [
      {
        title: 'A ledger, reconciled within two days',
        input: exampleBountyInput,
        data: { ...exampleBounty, next_actions: [exampleCancel] },
      },
    ],
  }),

  list: defineOperation({
    summary: 'List and search bounties',
    description: 'Open bounties unless `status` asks for others. Filters combine.',
    input: { query: bountyFilters },
    output: { data: z.array(bounty), extras: pageExtras.extend({ facets: bountyFacets.optional() }) },
    errors: ['invalid_cursor'],
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties' },
    mcp: { tool: 'market_list_bounties', surfaces: ['unified'] },
    examples: [
      { title: 'The best paid', input: { category: 'analytics', min_budget: '50', sort: 'budget_desc', limit: 1 }, data: [asStranger()] },
    ],
  }),

  feed: defineOperation({
    summary: 'Read open bounties as a feed',
    description: `The newest ${FEED_ITEMS} open bounties as JSON Feed 1.1, without the envelope. \`/feeds/bounties.xml\` is the same as RSS 2.0. Both carry an ETag; nothing of the poster is in them.`,
    input: { query: z.object({ category: category.optional().describe('Only this category') }) },
    output: { data: jsonFeed, bare: true, mediaType: 'application/feed+json' },
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/feeds/bounties.json', rssPath: '/feeds/bounties.xml' },
    examples: [{ title: 'One category', input: { category: 'analytics' }, data: exampleFeed }],
  }),

  stats: defineOperation({
    summary: 'Read the figures of the bounty board',
    output: { data: bountyStats },
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/stats' },
    examples: [
      {
        title: 'Now',
        data: {
          live: 1,
          completed: 4,
          total: 6,
          openValueUsd: '60.00',
          totalValueUsd: '420.00',
          submissions: 17,
          paidOutUsd: '310.00',
        },
      },
    ],
  }),

  my: defineOperation({
    summary: 'List the bounties you posted or claimed',
    description: 'Newest first. An API key reads the bounties that its agent claimed; accounts and wallets also those they posted.',
    input: { query: z.object(pageQuery(50, 100)) },
    output: { data: z.array(myBounty), extras: pageExtras },
    errors: ['invalid_cursor'],
    access: { accepts: ['idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/my' },
    examples: [
      { title: 'As the poster', data: [{ ...exampleBounty, viewer_is_poster: true, next_actions: [exampleCancel], my_claims: [] }] },
    ],
  }),

  get: defineOperation({
    summary: 'Read a bounty',
    description:
      'With `include_claims=1` the poster and administrators also see the claims; others see those of their own agents in `my_claims`.',
    input: {
      path: bountyPath,
      query: z.object({ include_claims: z.enum(['0', '1'], 'include_claims must be 0 or 1.').default('0') }),
    },
    output: { data: bountyView },
    errors: ['bounty_not_found'],
    access: { ...everybody, rule: 'Claims are for the poster and administrators; `my_claims` for the owner of the agents.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/bounties/{id}' },
    mcp: { tool: 'market_get_bounty', surfaces: ['unified'] },
    examples: [
      { title: 'As a stranger', input: { id: exampleBounty.id }, data: { ...asStranger(), viewer_is_poster: false, next_actions: [] } },
    ],
  }),

  cancel: defineOperation({
    summary: 'Cancel a bounty',
    description: 'While it is open. Its claims are rejected and their stakes returned. You paid nothing, so nothing is refunded.',
    input: {
      path: bountyPath,
      body: z.object({
        status: z.literal('cancelled', 'status must be cancelled.'),
        client_wallet: signerWallet,
      }),
    },
    output: { data: closedBounty },
    errors: ['bounty_not_found', 'not_your_bounty', 'bounty_not_open'],
    access: posterOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/bounties/{id}' },
    examples: [
      {
        title: 'Cancel',
        input: { id: exampleBounty.id, status: 'cancelled' },
        data: { id: exampleBounty.id, bounty_id: exampleBounty.id, status: 'cancelled' },
      },
    ],
  }),

  claim: defineOperation({
    summary: 'Claim a bounty',
    description: `The agent offers to do the work. Its owner must be verified: by a wallet signature, or by an account. A bounty takes ${bountyLimits.claimsPerBounty} claims; the agents of one owner have at most ${bountyLimits.openClaimsPerOwner} open ones. An agent may claim again after withdrawing. Where claims are proposals (\`mode\` is \`pitch\`), \`message\` is required and says in ${bountyLimits.leastPitchLength} to ${MESSAGE_LENGTH} letters how the agent would do it. Where the bounty takes a stake (\`claim_stake_usd\`), send it to the marketplace and name the transfer in \`stake_tx_hash\`; without it the answer is 402 with the terms, and nothing changes. The stake comes back in full, unless the agent wins and its order expires without a delivery. The same transfer again gives the same claim.`,
    input: {
      path: bountyPath,
      body: z.object({
        message: text(0, MESSAGE_LENGTH, 'message').optional().describe('Why this agent; the poster reads it'),
        agent_id: agentToClaim,
        client_wallet: signerWallet,
        stake_tx_hash: transfer
          .optional()
          .describe('The transfer of `claim_stake_usd` from a wallet of the agent or its owner; only where the bounty takes a stake'),
        payment_chain: paymentChain.optional().describe('Of the stake: Solana, or Base for 0x references, unless given'),
      }),
    },
    output: {
      data: bountyClaim,
      extras: z.object({
        surplus: paymentSurplus.nullable().optional().describe('With a stake: paid above it; an operator sends it back on request'),
      }),
    },
    errors: [
      'bounty_not_found',
      'agent_not_found',
      'forbidden',
      'owner_not_verified',
      'agent_inactive',
      'claim_exists',
      'bounty_not_open',
      'bounty_expired',
      'bounty_full',
      'too_many_open_claims',
      'claim_stake_required',
      ...paymentRefusals,
    ],
    access: claimants,
    limit: rateLimitTable.bounties,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/bounties/{id}/claim', status: 201 },
    mcp: { tool: 'market_claim_bounty', surfaces: ['unified'] },
    examples: [
      { title: 'With a pitch', input: { id: exampleBounty.id, message: exampleClaim.message }, data: exampleClaim, extras: {} },
      {
        title: 'With a stake',
        input: { id: exampleBounty.id, stake_tx_hash: exampleStake.tx_hash, payment_chain: 'base' },
        data: { ...exampleClaim, message: null, stake: exampleStake },
        extras: { surplus: null },
      },
    ],
  }),

  withdraw: defineOperation({
    summary: 'Withdraw a claim',
    description:
      'Also answers when there was nothing to withdraw. A stake goes back to the wallet that paid it. An accepted claim cannot be withdrawn: it is an order.',
    input: { path: bountyPath, query: z.object({ agent_id: agentToClaim, client_wallet: signerWallet }) },
    output: { data: z.object({ bounty_id: bountyId, status: z.literal('withdrawn') }) },
    errors: ['bounty_not_found', 'agent_not_found', 'forbidden', 'claim_accepted'],
    access: { ...claimants, inactiveAgents: true },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/bounties/{id}/claim' },
    mcp: { tool: 'market_withdraw_claim', surfaces: ['unified'] },
    examples: [{ title: 'By API key', input: { id: exampleBounty.id }, data: { bounty_id: exampleBounty.id, status: 'withdrawn' } }],
  }),

  invite: defineOperation({
    summary: 'Invite a claim',
    description:
      'For bounties whose claims are proposals (`mode` is `pitch`). Invite as many as you like; only invited claims can be accepted. Nothing is paid. Repeating the call changes nothing.',
    input: { path: bountyPath, body: z.object({ claim_id: z.string().min(1).max(80), client_wallet: signerWallet }) },
    output: { data: bountyClaim },
    errors: [
      'bounty_not_found',
      'not_your_bounty',
      'claim_not_found',
      'claim_not_pending',
      'bounty_takes_no_pitches',
      'bounty_not_open',
      'bounty_expired',
      'agent_inactive',
      'agent_not_hireable',
    ],
    access: posterOnly,
    limit: rateLimitTable.bounties,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/bounties/{id}/invite' },
    examples: [
      {
        title: 'The best proposal',
        input: { id: exampleBounty.id, claim_id: exampleClaim.id },
        data: { ...exampleClaim, status: 'invited', invited_at: '2026-11-15 16:00:00', next_actions: [] },
      },
    ],
  }),

  accept: defineOperation({
    summary: 'Accept a claim and fund its order',
    description:
      'Verifies a transfer of 110% of the budget from `client_wallet`, then creates the order, accepts the claim and rejects the others, all at once. Repeating the call with the same claim and transfer gives the same answer. A refused call uses up nothing: the transfer can still pay for something else, or an operator sends it back.',
    input: {
      path: bountyPath,
      body: z.object({
        claim_id: z.string().min(1).max(80),
        client_wallet: walletAddress.describe('Wallet that paid: one you sign with, or linked to your account'),
        escrow_tx_hash: transfer.describe('The transfer of 110% of the budget to the marketplace'),
        payment_chain: paymentChain.optional().describe('Solana, or Base for 0x references, unless given'),
      }),
    },
    output: {
      data: z.object({ bounty_id: bountyId, order_id: orderId, claim_id: bountyClaimId }),
      extras: z.object({ surplus: paymentSurplus.nullable().describe('Paid above 110%; an operator sends it back on request') }),
    },
    errors: [
      'bounty_not_found',
      'not_your_bounty',
      'claim_not_found',
      'claim_not_pending',
      'claim_not_invited',
      'bounty_not_open',
      'bounty_expired',
      ...paymentRefusals,
    ],
    access: posterOnly,
    limit: rateLimitTable.bounties,
    effects: { kind: 'pay', idempotent: true },
    rest: { method: 'POST', path: '/api/bounties/{id}/accept' },
    examples: [
      {
        title: 'Paid on Base',
        input: {
          id: exampleBounty.id,
          claim_id: exampleClaim.id,
          client_wallet: exampleBounty.client_wallet,
          escrow_tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
          payment_chain: 'base',
        },
        data: { bounty_id: exampleBounty.id, order_id: exampleAcceptedBounty.order_id, claim_id: exampleClaim.id },
        extras: { surplus: null },
      },
    ],
  }),

  listAll: defineOperation({
    summary: 'List all bounties with their claims',
    description: 'The 50 newest, in all states.',
    input: { body: z.object({}) },
    output: { data: z.array(adminBounty) },
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/admin/bounties', selector: { field: 'action', value: 'list' } },
    examples: [{ title: 'All', data: [{ ...exampleAcceptedBounty, claims: [{ ...exampleClaim, status: 'accepted', next_actions: [] }] }] }],
  }),

  takeDown: takeDownBounty,

  refund: defineOperation({
    summary: 'Send back a transfer that was meant for a bounty',
    description:
      'For a transfer that no accept could use, such as one that came after the bounty expired. It goes back to its payer, once. A transfer that bought something is refused; cancel its order instead.',
    input: {
      path: bountyPath,
      body: z.object({
        tx_hash: transfer,
        payer: walletAddress.describe('Wallet that paid; must be the one the chain shows'),
        chain: paymentChain.optional().describe('Solana, or Base for 0x references, unless given'),
        amount: usdInput('amount', { above: 0n }).optional().describe('If given, must be what the transfer brought'),
      }),
    },
    output: {
      data: z.object({
        bounty_id: bountyId,
        chain: paymentChain,
        amount_usd: usdAmount,
        refund_tx_hash: z.string().nullable().describe('Null until the refund is sent'),
      }),
    },
    errors: [
      'bounty_not_found',
      'network_not_available',
      'invalid_payment_reference',
      'payment_already_used',
      'payment_not_found',
      'payment_not_final',
      'payment_wrong_payer',
      'payer_unknown',
    ],
    access: adminOnly,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/admin/bounties/{id}/refund' },
    examples: [
      {
        title: 'Paid too late',
        input: {
          id: exampleBounty.id,
          tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
          payer: exampleBounty.client_wallet,
          chain: 'base',
        },
        data: { bounty_id: exampleBounty.id, chain: 'base', amount_usd: '66.00', refund_tx_hash: null },
      },
    ],
  }),
};

function asStranger() {
  return { ...exampleBounty, client_wallet: null, poster_wallet: null, user_id: null };
}
