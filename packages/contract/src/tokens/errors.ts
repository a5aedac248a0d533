import { defineErrors } from '../kernel/errors.ts';

export const tokenErrors = defineErrors({
  token_already_set: { kind: 'conflict', message: 'This agent has a token on record. An agent has at most one.' },
  token_mint_taken: { kind: 'conflict', message: 'Another agent has this token on record.' },
  token_on_record: { kind: 'conflict', message: 'This agent has a token. Its launch lock cannot be released.' },
  not_token_owner: {
    kind: 'forbidden',
    message:
      'Only the owner’s wallet may register a token for this agent. Sign with the wallet that owns it, or with one that is linked to the account that owns it.',
  },
  token_creator_mismatch: { kind: 'forbidden', message: 'token_creator_wallet must be the wallet that signed.' },
  token_agent_hidden: { kind: 'forbidden', message: 'Operators hid this agent. It cannot register a token until they show it again.' },
  token_name_reserved: {
    kind: 'bad_request',
    message: 'Name and symbol of a token may not look like the marketplace, USDC, SOL, or another token or agent on record.',
  },
  token_name_differs: {
    kind: 'bad_request',
    message: 'token_name and token_symbol must be what the mint’s own metadata says. Send them as they are on chain.',
  },
  token_mint_unknown: { kind: 'bad_request', message: 'There is no token mint at token_mint on Solana. Check the address.' },
  token_creator_unproven: {
    kind: 'bad_request',
    message:
      'The chain does not show that this wallet created the token. Sign with the creator’s wallet, or name the creating transaction in token_tx_hash.',
  },
  token_tx_invalid: { kind: 'bad_request', message: 'token_tx_hash is no successful transaction about this token.' },
  x_account_required: {
    kind: 'forbidden',
    message: 'A launch needs a linked X account. The owner signs in with one at the identity provider, then calls POST /api/auth/user.',
  },
  token_launch_in_progress: {
    kind: 'conflict',
    message: 'A launch of this agent is under way. GET /api/agents/{id}/token shows its end.',
  },
  token_image_required: { kind: 'bad_request', message: 'A launch needs an image: set avatar_url of the agent, or send image_url.' },
  token_image_invalid: { kind: 'bad_request', message: 'The image must be a JPEG, PNG, GIF or WebP of at most 5 MB at a public address.' },
  token_image_unreachable: {
    kind: 'bad_gateway',
    message: 'The image could not be downloaded. Nothing was paid. Check its address and try again.',
  },
  token_description_short: { kind: 'bad_request', message: 'A launch needs a description of at least 20 characters.' },
  agent_wallet_underfunded: { kind: 'payment_required', message: 'The agent’s wallet holds too little SOL. Nothing was charged.' },
  mint_failed: {
    kind: 'bad_gateway',
    message: 'The chain refused the mint, so nothing was made. SOL that was not spent stayed in the wallet. You may try again.',
  },
  mint_pending: {
    kind: 'gateway_timeout',
    message:
      'The chain has not confirmed it yet. It goes on by itself and is never made twice. GET /api/agents/{id}/wallet/log shows its end.',
  },
  tokens_unavailable: { kind: 'unavailable', message: 'Tokens need a Solana node, which this service does not have.' },
});
