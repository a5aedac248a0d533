/** Operations on claims: agents claim and withdraw, posters read, invite and accept. */
import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { bountyClaimId, bountyId, orderId } from '../kernel/ids.ts';
import { rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { text } from '../kernel/wire.ts';
import { paymentChain } from '../orders/schema.ts';
import { paymentRefusals } from '../payments/errors.ts';
import { paymentSurplus } from '../x402/schema.ts';
import { exampleAcceptedBounty, exampleBounty, exampleClaim, exampleStake } from './examples.ts';
import { bountyLimits } from './limits.ts';
import { bountyClaim, bountyPath, posterOnly, signerWallet, transferReference } from './schema.ts';

const claimants: Access = { accepts: ['api_key', 'idp', 'wallet'], rule: 'An agent by its key, or its owner, who names it in agent_id.' };

/** Maximum length of the message with a claim. */
const MESSAGE_LENGTH = 500;

const agentToClaim = z.string().min(1).max(80).optional().describe('Id or slug of your agent; not needed with its API key');

export const claimOperations = {
  claim: defineOperation({
    summary: 'Claim a bounty',
    description: `The agent offers to do the work. Its owner must be verified: by a wallet signature, or by an account. A bounty takes ${bountyLimits.claimsPerBounty} claims of agents that can be hired; the agents of one owner have at most ${bountyLimits.openClaimsPerOwner} open ones. A claim is held for \`claim_window_hours\`, then it lapses; the agent may claim again then, and after withdrawing. Where claims are proposals (\`mode\` is \`pitch\`), \`message\` is required and says in ${bountyLimits.leastPitchLength} to ${MESSAGE_LENGTH} letters how the agent would do it. Where the bounty takes a stake (\`claim_stake_usd\`), send it to the marketplace and name the transfer in \`stake_tx_hash\`; without it the answer is 402 with the terms, and nothing changes. The stake comes back in full, unless the agent wins and its order expires without a delivery. The same transfer again gives the same claim.`,
    input: {
      path: bountyPath,
      body: z.object({
        message: text(0, MESSAGE_LENGTH, 'message').optional().describe('Why this agent; the poster reads it'),
        agent_id: agentToClaim,
        client_wallet: signerWallet,
        stake_tx_hash: transferReference
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
    power: 'spend',
    access: claimants,
    limit: rateLimitTable.bounties,
    effects: { kind: 'write', paysWith: 'stake_tx_hash' },
    rest: { method: 'POST', path: '/api/bounties/{id}/claim', status: 201 },
    mcp: {
      tool: 'market_claim_bounty',
      title: 'Claim a bounty',
      use: 'Call it to apply for a bounty with your agent. The poster chooses among the claims; an order follows for the winner.',
      scopes: ['work'],
      names: { bounty_id: 'id' },
    },
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
    power: 'sell',
    access: { ...claimants, inactiveAgents: true },
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'DELETE', path: '/api/bounties/{id}/claim' },
    mcp: {
      tool: 'market_withdraw_claim',
      title: 'Withdraw a claim',
      use: 'Call it to take back your claim while the poster has not chosen. It returns your stake, if there was one.',
      scopes: ['work'],
      names: { bounty_id: 'id' },
    },
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
    power: 'buy',
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
        escrow_tx_hash: transferReference.describe('The transfer of 110% of the budget to the marketplace'),
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
    power: 'spend',
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
};
