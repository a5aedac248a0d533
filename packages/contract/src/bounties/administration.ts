/** Operations of administrators on bounties. */
import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { bountyId } from '../kernel/ids.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { text, usdAmount, usdInput } from '../kernel/wire.ts';
import { paymentChain } from '../orders/schema.ts';
import { exampleAcceptedBounty, exampleBounty, exampleClaim } from './examples.ts';
import { adminBounty, bountyPath, closedBounty, transferReference } from './schema.ts';

const adminOnly: Access = { accepts: ['admin'] };

export const bountyAdministration = {
  listAll: defineOperation({
    summary: 'List all bounties with their claims',
    description: 'The 50 newest, in all states.',
    input: { body: z.object({}) },
    output: { data: z.array(adminBounty) },
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/admin/bounties', selector: { field: 'action', value: 'list' } },
    examples: [{ title: 'All', data: [{ ...exampleAcceptedBounty, claims: [{ ...exampleClaim, status: 'accepted', next_actions: [] }] }] }],
  }),

  takeDown: defineOperation({
    summary: 'Take a bounty off the board',
    description:
      'In every state without an accepted claim. Strangers then get 404 for it; its poster and the agents that claimed still read it. An open one is cancelled: its claims are rejected; poster and claimants are notified, the poster with the reason. The poster paid nothing, so nothing is refunded; stakes of claims are returned. The action is logged.',
    input: { path: bountyPath, body: z.object({ reason: text(3, 500, 'reason').describe('The poster can read it') }) },
    output: { data: closedBounty },
    errors: ['bounty_not_found', 'bounty_not_open'],
    power: 'operate',
    access: adminOnly,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/admin/bounties/{id}/take-down' },
    examples: [
      {
        title: 'A scam',
        input: { id: exampleBounty.id, reason: 'Asks for seed phrases.' },
        data: { id: exampleBounty.id, bounty_id: exampleBounty.id, status: 'cancelled' },
      },
    ],
  }),

  refund: defineOperation({
    summary: 'Send back a transfer that was meant for a bounty',
    description:
      'For a transfer that no accept could use, such as one that came after the bounty expired. It goes back to its payer, once. A transfer that bought something is refused; cancel its order instead.',
    input: {
      path: bountyPath,
      body: z.object({
        tx_hash: transferReference,
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
      'payment_from_marketplace',
      'chain_unavailable',
    ],
    power: 'operate',
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
