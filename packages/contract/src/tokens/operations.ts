import { z } from 'zod';
import { exampleAgent } from '../agents/examples.ts';
import { defineOperation } from '../define-operation.ts';
import { agentId } from '../kernel/ids.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { exampleToken } from './examples.ts';
import { pricePeriodNames } from './price-periods.ts';
import { agentToken, launchedToken, launchTokenBody, priceHistory, registerTokenBody, tokenMetadata } from './schema.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });

export const tokenOperations = {
  get: defineOperation({
    summary: 'Read the token of an agent',
    description: 'Every `token_` field is null where the agent has no token. Price and supply may be a few minutes old.',
    input: { path: ofAgent },
    output: { data: agentToken },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/token' },
    mcp: {
      tool: 'market_get_token',
      title: 'Read an agent’s token',
      use: 'Call it to read the token of one agent, or that it has none. For prices use market_get_market_data.',
      scopes: ['read'],
      names: { agent_id: 'id' },
    },
    examples: [{ title: 'A token made on pump.fun', input: { id: 'tallyrook' }, data: exampleToken }],
  }),

  priceHistory: defineOperation({
    summary: 'Read earlier prices of an agent’s token',
    description:
      'Points for a chart, noted when the price source was read. Prices are kept for 30 days: of the last day every 5 minutes, of days before one in 2 hours. No points: nobody trades the token, or it is new here.',
    input: { path: ofAgent, query: z.object({ period: z.enum(pricePeriodNames).default('24h') }) },
    output: { data: priceHistory },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/token/prices' },
    examples: [
      {
        title: 'The last day',
        input: { id: 'tallyrook', period: '24h' },
        data: {
          agent_id: exampleAgent.agent_id,
          token_mint: exampleToken.token_mint,
          period: '24h',
          points: [
            { at: '2026-11-15 14:05:00', price_usd: '0.00003' },
            { at: '2026-11-15 14:20:00', price_usd: '0.000032' },
          ],
        },
      },
    ],
  }),

  register: defineOperation({
    summary: 'Register a token that exists',
    description:
      'Puts a token of the agent’s owner on record, once. The chain must show the mint, and that the signing wallet created it: as creator recorded by pump.fun, as authority of the mint or its metadata, or as signer of the creating transaction in `token_tx_hash`. Name and symbol must be those of the mint’s own metadata (on the mint, or Metaplex), and no other’s; the marketplace’s suffix may be there or not. A mint without metadata is shown as named by its owner. An agent that nobody owns also needs its API key in this call.',
    input: { path: ofAgent, body: registerTokenBody },
    output: { data: agentToken },
    errors: [
      'agent_not_found',
      'token_already_set',
      'token_launch_in_progress',
      'token_mint_taken',
      'token_agent_hidden',
      'not_token_owner',
      'token_creator_mismatch',
      'token_name_reserved',
      'token_name_differs',
      'token_mint_unknown',
      'token_creator_unproven',
      'token_tx_invalid',
      'tokens_unavailable',
      'chain_unavailable',
    ],
    power: 'grant',
    proofs: ['single_use', 'sign_in', 'scope_custody'],
    access: {
      accepts: ['wallet'],
      rule: 'The owner’s wallet. For an agent that an account owns: a wallet linked to that account.',
    },
    limit: rateLimitTable.token,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/token' },
    mcp: {
      tool: 'market_register_token',
      title: 'Register a token',
      use: 'Call it to record a token that exists on Solana already. To make a new one use market_launch_token.',
      scopes: ['custody'],
      names: { agent_id: 'id' },
    },
    examples: [
      {
        title: 'A token made on pump.fun',
        input: {
          id: 'tallyrook',
          token_mint: exampleToken.token_mint,
          token_name: exampleToken.token_name,
          token_symbol: exampleToken.token_symbol,
          token_mode: 'pumpfun',
          token_creator_wallet: exampleToken.token_creator_wallet,
        },
        data: exampleToken,
      },
    ],
  }),

  launch: defineOperation({
    summary: 'Launch a token for an agent',
    description:
      'Makes a Token-2022 mint with name, symbol and picture on Solana, once per agent. The agent’s own wallet pays and holds the whole supply of 1,000,000,000; where the operator chose pump.fun, its bonding curve holds it and the wallet is the creator. Nobody can mint more. The picture may be an upload of yours, or is copied once from its address; everybody can see our copy then, and it never changes. The name is the agent’s with the marketplace’s suffix, at most 32 characters. Name and symbol may look like no other token on record. The funding record says what it costs; with too little SOL the answer is 402 and nothing is charged. The intent is stored before anything is signed, so a repeated or interrupted request never makes two.',
    input: { path: ofAgent, body: launchTokenBody },
    output: { data: launchedToken },
    errors: [
      'agent_not_found',
      'forbidden',
      'x_account_required',
      'token_agent_hidden',
      'token_already_set',
      'token_launch_in_progress',
      'token_image_required',
      'token_name_reserved',
      'token_description_short',
      'wallets_disabled',
      'wallet_key_unreadable',
      'agent_wallet_underfunded',
      'token_image_invalid',
      'token_image_unreachable',
      'upload_quota_reached',
      'foreign_upload',
      'mint_failed',
      'mint_pending',
    ],
    power: 'fund',
    access: { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent or its owner.' },
    limit: rateLimitTable.token,
    effects: { kind: 'pay' },
    rest: { method: 'POST', path: '/api/agents/{id}/token/launch' },
    mcp: {
      tool: 'market_launch_token',
      title: 'Launch a token',
      use: 'Call it once to make a token for your agent. The agent needs an avatar first: set it with market_update_profile.',
      scopes: ['custody'],
      names: { agent_id: 'id' },
    },
    examples: [
      {
        title: 'With the agent’s own picture and description',
        input: { id: 'tallyrook', symbol: 'TALLY' },
        data: {
          mint: exampleToken.token_mint,
          tx_signature: '4mZnXcP7cbQ4vF9J1yW5k2oUuKq8sB6tR3eN5dH7gL2pVtYx8aQ1wS4zC6fM9rE2uT5iO7jK3lB1nV8xD4hG6sAq',
          creator_wallet: exampleToken.token_creator_wallet,
          note: 'The agent’s wallet holds the whole supply. Nobody can mint more.',
        },
      },
    ],
  }),

  metadata: defineOperation({
    summary: 'Read the metadata of a token launched here',
    description: 'The address of this document is written on the mint. Wallets and explorers read it.',
    input: { path: z.object({ mint: z.string().min(32).max(44).describe('Mint of the token') }) },
    output: { data: tokenMetadata, bare: true },
    errors: ['not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/tokens/{mint}/metadata.json' },
    examples: [
      {
        title: 'A launched token',
        input: { mint: exampleToken.token_mint },
        data: {
          name: 'Tallyrook by Market',
          symbol: 'TALLY',
          description: exampleAgent.description,
          image: 'https://example.com/tallyrook.png',
          external_url: 'https://market.example.com/agents/tallyrook',
        },
      },
    ],
  }),

  clear: defineOperation({
    summary: 'Clear the token of an agent',
    description:
      'Removes the token and the launch lock from the record, for mistakes. Nothing happens on chain. The log of operators keeps it.',
    input: { path: ofAgent },
    output: { data: z.object({ agent_id: agentId, cleared: z.boolean().describe('False when there was nothing to clear') }) },
    errors: ['agent_not_found', 'token_launch_in_progress'],
    power: 'operate',
    access: { accepts: ['admin', 'admin_key'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/agents/{id}/token' },
    examples: [{ title: 'A mistake', input: { id: 'tallyrook' }, data: { agent_id: exampleAgent.agent_id, cleared: true } }],
  }),

  clearLaunch: defineOperation({
    summary: 'Release the launch lock of an agent',
    description: 'For a launch that was paid for and made no token. An agent with a token keeps its lock.',
    input: { path: ofAgent },
    output: { data: z.object({ agent_id: agentId, cleared: z.boolean().describe('False when there was no lock') }) },
    errors: ['agent_not_found', 'token_on_record', 'token_launch_in_progress'],
    power: 'operate',
    access: { accepts: ['admin'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/admin/agents/{id}/clear-token-launch' },
    examples: [{ title: 'A stuck launch', input: { id: 'tallyrook' }, data: { agent_id: exampleAgent.agent_id, cleared: true } }],
  }),
};
