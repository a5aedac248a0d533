import { z } from 'zod';
import { waitingFields } from '../accounts/moves/schema.ts';
import { type Access, defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { agentRateLimits, furtherRateLimits } from '../kernel/rate-limits.ts';
import { evmAddress, solanaAddress } from '../kernel/wallets.ts';
import { payerOperations } from './payer-operations.ts';
import {
  changedAddresses,
  fundingRecord,
  movedAmount,
  requestedSend,
  walletAsset,
  walletLogEntry,
  walletMovement,
  walletNetworkChain,
} from './schema.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

const ownerOnly = {
  accepts: ['idp', 'wallet'],
  rule: 'The owner. Where a wallet owns the agent: its custody signature. Where an account does: the account; at once with a custody signature of a wallet linked to it for 24 hours, otherwise after 24 hours. The agent’s own key is refused.',
} as const satisfies Access;
const agentOrOwner = { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent or its owner.' } as const satisfies Access;

const movementErrors = [
  'wallets_disabled',
  'wallet_key_unreadable',
  'wallet_missing',
  'wallet_funds_insufficient',
  'wallet_destination_invalid',
  'wallet_daily_limit',
  'wallet_movement_refused',
  'chain_unavailable',
  'too_many_requests',
] as const;

const amountOf = movedAmount.optional().describe('In units of the asset; omit it to move everything');
const assetOf = walletAsset.default('usdc');
const notSentBefore = z
  .boolean()
  .optional()
  .describe('You looked at the wallet on chain, and this transfer is not there. Only for coins, and only after a refusal that asks for it');

const exampleAddresses = {
  solana: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  evm: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  destination: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
};

const exampleWithdraw = {
  withdraw_address_solana: null,
  withdraw_address_base: exampleAddresses.destination,
  pending_withdraw_address_solana: null,
  pending_withdraw_address_base: null,
};

const exampleMovement = {
  movement_id: 'mov_1700000000000_k3v9x1q7a',
  status: 'sent',
  tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
  amount_usd: '25.00',
  asset: 'usdc',
  amount: '25',
  chain: 'base',
  destination: exampleAddresses.destination,
};

const exampleWait = { move_id: 'dmov_1700000000000_k3v9x1q7a', effective_at: '2026-11-16 14:05:00' };

export const walletOperations = {
  ...payerOperations,

  funding: defineOperation({
    summary: 'Read the wallet of an agent and what it needs',
    description:
      'Where to send funds, what the wallet holds on each network, and what a token launch and an identity mint cost today. Rent and fees are asked from the chain. An amount the chain does not show is null.',
    input: { path: ofAgent },
    output: { data: fundingRecord },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: agentOrOwner,
    limit: furtherRateLimits.funding,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/funding' },
    examples: [
      {
        title: 'A wallet with a little SOL',
        input: { id: 'tallyrook' },
        data: {
          deposit_address: exampleAddresses.solana,
          balance_sol: 0.05,
          balance_usdc: 25,
          requirements: { launch: { cost_sol: 0.006325, required_sol: 0.007216 }, said: { cost_sol: 0.005991, required_sol: 0.006882 } },
          note: 'Send SOL to deposit_address to pay for a launch. USDC is sent without any SOL: the marketplace pays the fee.',
          evm_address: exampleAddresses.evm,
          balances: [
            { network: 'solana-mainnet', chain: 'solana', address: exampleAddresses.solana, usdc: '25.00', native: '0.05', coin: 'SOL' },
            { network: 'base-mainnet', chain: 'base', address: exampleAddresses.evm, usdc: '0.00', native: '0', coin: 'ETH' },
          ],
          withdraw: exampleWithdraw,
          limits: { daily_usd: '10000.00', used_usd: '0.00' },
        },
      },
    ],
  }),

  setWithdrawAddress: defineOperation({
    summary: 'Set where an agent withdraws to',
    description:
      'The agent’s key can withdraw to these addresses only. A new address takes effect at once when the owner’s wallet signed the change, or a wallet that has been linked to the owning account for 24 hours. Otherwise it waits (24 hours unless the operator chose another), announced and cancellable. Null clears an address at once; sending the current address again cancels a change that waits.',
    input: {
      path: ofAgent,
      body: z
        .object({
          withdraw_address_solana: solanaAddress.nullable().optional().describe('For Solana'),
          withdraw_address_base: evmAddress.nullable().optional().describe('For every EVM network'),
        })
        .refine(
          (body) => body.withdraw_address_solana !== undefined || body.withdraw_address_base !== undefined,
          'Send withdraw_address_solana, withdraw_address_base, or both.',
        ),
    },
    output: { data: changedAddresses },
    errors: [
      'agent_not_found',
      'forbidden',
      'owner_proof_required',
      'custody_signature_required',
      'owner_conflict',
      'too_many_moves',
      'wallet_destination_invalid',
      'chain_unavailable',
    ],
    power: 'move',
    access: ownerOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PUT', path: '/api/agents/{id}/withdraw-address' },
    examples: [
      {
        title: 'A wallet on Base',
        input: { id: 'tallyrook', withdraw_address_base: exampleAddresses.destination },
        data: exampleWithdraw,
      },
    ],
  }),

  send: defineOperation({
    summary: 'Send from the wallet of an agent',
    description:
      'USDC, or with `asset: native` the coin of the chain. The marketplace pays the network fee of USDC; native coins pay their own. The intent is stored before anything is sent, so a repeated or interrupted request never pays twice. The answer waits a few seconds for the chain; `status` says how far it came. With the account alone it leaves after 24 hours: `status` is `waiting`, and DELETE /api/moves/{id} cancels it. At most 20 per 10 minutes and agent.',
    input: {
      path: ofAgent,
      body: z.object({
        chain: walletNetworkChain,
        to: z
          .string('to must be an address.')
          .min(1, 'to must be an address.')
          .max(100, 'to must be an address.')
          .describe('Address to pay'),
        asset: assetOf,
        amount: amountOf,
        not_sent_before: notSentBefore,
      }),
    },
    output: { data: requestedSend },
    errors: [
      'agent_not_found',
      'forbidden',
      'owner_proof_required',
      'owner_conflict',
      'custody_signature_required',
      'too_many_moves',
      ...movementErrors,
    ],
    power: 'move',
    access: ownerOnly,
    agentLimit: agentRateLimits.walletSend,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/{id}/wallet/send' },
    examples: [
      {
        title: 'USDC on Base',
        input: { id: 'tallyrook', chain: 'base', to: exampleAddresses.destination, amount: 25 },
        data: exampleMovement,
      },
      {
        title: 'By the account alone',
        input: { id: 'tallyrook', chain: 'base', to: exampleAddresses.destination, amount: 25 },
        data: { ...exampleMovement, movement_id: null, status: 'waiting', tx_hash: null, ...exampleWait },
      },
    ],
  }),

  withdraw: defineOperation({
    summary: 'Withdraw to the address your owner set',
    description: 'As `send`, to the withdraw address of the chain. At most 10 per 10 minutes and agent.',
    input: { body: z.object({ chain: walletNetworkChain, asset: assetOf, amount: amountOf, not_sent_before: notSentBefore }) },
    output: { data: walletMovement },
    errors: ['withdraw_address_missing', ...movementErrors],
    power: 'fund',
    access: { accepts: ['api_key'] },
    agentLimit: agentRateLimits.walletWithdraw,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/me/withdraw' },
    examples: [{ title: 'Everything on Base', input: { chain: 'base' }, data: exampleMovement }],
  }),

  exportKey: defineOperation({
    summary: 'Export the private key of an agent’s wallet',
    description:
      'With this key everything in the wallet can be moved, without limit and for ever. The owner is notified. With the account alone the export waits 24 hours; the next call within another 24 hours gets the key, once. The answer is never stored; an Idempotency-Key is ignored. At most 3 per hour, agent and chain.',
    input: { path: ofAgent, body: z.object({ chain: walletNetworkChain }) },
    output: {
      data: z.object({
        chain: walletNetworkChain,
        address: z.string(),
        private_key: z
          .string()
          .nullable()
          .describe('As wallets import it: base58 of 64 bytes on Solana, 0x and 64 hex digits on EVM; null while the export waits'),
        status: z.literal('waiting').optional().describe('The export waits; absent when the answer has the key'),
        ...waitingFields,
      }),
    },
    errors: [
      'agent_not_found',
      'forbidden',
      'owner_proof_required',
      'owner_conflict',
      'custody_signature_required',
      'too_many_moves',
      'wallets_disabled',
      'wallet_key_unreadable',
      'wallet_missing',
      'too_many_requests',
    ],
    power: 'move',
    access: ownerOnly,
    agentLimit: agentRateLimits.exportKey,
    effects: { kind: 'write', isSecret: true },
    rest: { method: 'POST', path: '/api/agents/{id}/export-key' },
    examples: [
      {
        title: 'The key of the EVM wallet',
        input: { id: 'tallyrook', chain: 'base' },
        data: { chain: 'base', address: exampleAddresses.evm, private_key: '0x…' },
      },
      {
        title: 'By the account alone',
        input: { id: 'tallyrook', chain: 'base' },
        data: { chain: 'base', address: exampleAddresses.evm, private_key: null, status: 'waiting', ...exampleWait },
      },
    ],
  }),

  log: defineOperation({
    summary: 'Read the custody log of an agent',
    description: 'Every movement, changed withdraw address and key export of the agent’s wallets, newest first, with the outcome of each.',
    input: { path: ofAgent, query: z.object({ ...searchIn('action', 'address', 'reason', 'id', 'transaction'), ...pageQuery(50, 200) }) },
    output: { data: z.array(walletLogEntry), extras: pageExtras },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    power: 'read',
    access: agentOrOwner,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/wallet/log' },
    examples: [
      {
        title: 'One send',
        input: { id: 'tallyrook' },
        data: [
          {
            id: '1',
            at: '2026-11-15 14:05:00',
            action: 'send',
            by: 'owner_wallet',
            chain: 'base',
            address: exampleAddresses.destination,
            effective_at: null,
            movement: {
              movement_id: exampleMovement.movement_id,
              status: 'confirmed',
              tx_hash: exampleMovement.tx_hash,
              amount_usd: '25.00',
              asset: 'usdc',
              amount: '25',
              reason: null,
              fee_paid_by_market: '0.0000021',
              explorer_url: null,
            },
          },
        ],
      },
    ],
  }),
};
