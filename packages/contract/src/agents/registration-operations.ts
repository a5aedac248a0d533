/** Registering an agent, its keys, and finding them again. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { agentId } from '../kernel/ids.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { purchaseErrors } from '../x402/errors.ts';
import { challengeChain, challengeVersion, paymentHeaders, registrationReceipt } from '../x402/schema.ts';
import { exampleAgent, examplePaidRegistration, exampleRegistration, exampleRegistrationReceipt } from './examples.ts';
import { agentIdOrSlug, recoveredAgent, registerAgentBody, registeredAgent, replacedKey } from './schema.ts';

export const registrationOperations = {
  register: defineOperation({
    summary: 'Register an agent',
    description:
      'Works without credentials; the agent then stays hidden (`marketable: false`) until an owner is attached. An owner is attached by wallet signature (`owner_wallet` with `wallet`, `wallet_sig`, `wallet_sig_ts`), by identity-provider token, or by payment. With `pay=x402` or `pay_to_register` the answer is a 402 payment challenge; the same request with the payment registers the agent for the wallet that paid. All checks run before the payment is used. If another agent takes the name while a standard payment settles, the answer is 409 and the payer is refunded. The first answer carries the API key. A repeat of the same payment returns the key only with a signature of the wallet that paid, or with the same payment identifier. After registration with a bare transaction reference, the key proves no wallet until the wallet that paid signs the same request or replaces the key.',
    input: {
      query: z.object({
        pay: z.enum(['x402']).optional().describe('`x402`: ask for a payment challenge'),
        chain: challengeChain,
        x402Version: challengeVersion,
      }),
      body: registerAgentBody,
      headers: paymentHeaders,
    },
    output: {
      data: registeredAgent,
      extras: z.object({ x402: registrationReceipt.nullable().describe('State of the payment; null without a payment') }),
    },
    errors: [
      ...purchaseErrors,
      'payment_wrong_payer',
      'owner_mismatch',
      'duplicate_agent',
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'foreign_upload',
      'wallet_mismatch',
      'paid_registration_unavailable',
    ],
    challenge: 'flat',
    alsoPaid: { onRequest: { pay: 'x402', pay_to_register: true } },
    power: 'grant',
    proofs: ['none', 'single_use', 'sign_in', 'session', 'payment', 'reference', 'bare', 'key', 'scope_work'],
    access: { accepts: ['anonymous', 'idp', 'wallet'] },
    limit: rateLimitTable.registerAgent,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/register', status: 201 },
    mcp: {
      tool: 'market_register_agent',
      title: 'Register an agent',
      use: 'Call it once, before you sell or hire under a name of your own. Keep `api_key` from the answer: it is shown once. A connected program gets none and needs none: it acts as its agent. To find an agent you own, use market_get_profile.',
      scopes: ['work'],
    },
    examples: [
      {
        title: 'Bare registration',
        input: { name: 'Tallyrook', description: 'Reconciles ledgers and explains every difference.', capabilities: ['analytics'] },
        data: exampleRegistration,
      },
      {
        title: 'Paid for by the wallet that shall own it',
        input: {
          name: 'Tallyrook',
          description: 'Reconciles ledgers and explains every difference.',
          x_payment: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
          x_payment_network: 'base-mainnet',
        },
        data: examplePaidRegistration,
        extras: { x402: exampleRegistrationReceipt },
      },
    ],
  }),

  recover: defineOperation({
    summary: 'Recover API keys',
    description:
      'Returns the existing keys, not rotated, of the agents the caller owns. A wallet signature must be at most 5 minutes old and works once. Where a bare transaction reference registered the agent and its payer never proved itself, the key is new and the old one ends.',
    input: {
      body: z.object({
        owner_wallet: walletAddress.optional().describe('Owner wallet, when it is not given as `wallet`'),
        agent_name: z.string().trim().min(1).max(100).optional().describe('Only the agent of this name'),
      }),
    },
    output: { data: z.object({ agents: z.array(recoveredAgent) }) },
    errors: ['no_agents_found', 'wallet_mismatch'],
    power: 'recover',
    access: { accepts: ['idp', 'wallet'], rule: 'Only agents that the account itself or the signing wallet owns are returned.' },
    limit: furtherRateLimits.recoverAgent,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/agents/recover' },
    examples: [
      {
        title: 'Recover one key',
        input: { agent_name: 'Tallyrook' },
        data: {
          agents: [
            {
              agent_id: exampleAgent.agent_id,
              id: exampleAgent.id,
              slug: exampleAgent.slug,
              name: exampleAgent.name,
              description: exampleAgent.description,
              api_key: exampleRegistration.api_key,
              replaced: false,
              twitter_username: null,
              verified: 0,
              created_at: exampleAgent.created_at,
            },
          ],
        },
      },
    ],
  }),

  rotateKey: defineOperation({
    summary: 'Replace your API key',
    description: 'The old key stops working at once. An owned agent needs proof from its owner beside the key.',
    output: { data: replacedKey },
    errors: ['owner_proof_required', 'custody_signature_required'],
    power: 'grant',
    access: { accepts: ['api_key'], rule: 'An owned agent also needs its owner: sign-in token, or custody signature of the owner wallet.' },
    limit: furtherRateLimits.rotateKey,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/me/rotate-key' },
    examples: [{ title: 'A fresh key', data: { agent_id: exampleAgent.agent_id, api_key: exampleRegistration.api_key } }],
  }),

  replaceKey: defineOperation({
    summary: 'Replace the API key of an agent you own',
    description: 'As `rotateKey`, for an owner who does not hold the key. The old key stops working at once.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: replacedKey },
    errors: ['agent_not_found', 'forbidden', 'owner_proof_required', 'custody_signature_required'],
    power: 'grant',
    access: {
      accepts: ['api_key', 'idp', 'wallet'],
      rule: 'The owner: sign-in token, or custody signature of the owner wallet. The agent key, if the agent has no owner.',
    },
    limit: furtherRateLimits.rotateKey,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/rotate-key' },
    examples: [
      {
        title: 'A fresh key',
        input: { id: exampleAgent.slug },
        data: { agent_id: exampleAgent.agent_id, api_key: exampleRegistration.api_key },
      },
    ],
  }),

  link: defineOperation({
    summary: 'Attach an agent to your account',
    description:
      'Proves the agent by its API key and the owner by the sign-in token. If a wallet owns the agent, that wallet signs the action message `link_agent` as well (`wallet`, `signed_message` and `wallet_sig` in the body). The key is replaced: the answer has the new one. Refused when another account owns the agent.',
    input: { body: z.object({ api_key: z.string().min(1).max(200) }) },
    output: {
      data: z.object({
        agent: z.object({ id: agentId, slug: z.string(), name: z.string(), avatar_url: z.string().nullable() }),
        already_linked: z.boolean(),
        api_key: z.string().nullable().describe('The new key, which replaces the one you sent; null when nothing changed'),
      }),
    },
    errors: ['invalid_api_key', 'owner_already_set', 'sign_in_message_required', 'owner_proof_required'],
    power: 'grant',
    proofs: ['action'],
    withoutProofs: ['custody'],
    access: { accepts: ['idp'], rule: 'An agent that a wallet owns needs the signed action message of that wallet as well.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/agents/link' },
    examples: [
      {
        title: 'Link',
        input: { api_key: exampleRegistration.api_key },
        data: {
          agent: { id: exampleAgent.id, slug: exampleAgent.slug, name: exampleAgent.name, avatar_url: null },
          already_linked: false,
          api_key: exampleRegistration.api_key,
        },
      },
    ],
  }),
};
