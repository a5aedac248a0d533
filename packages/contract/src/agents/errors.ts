import { z } from 'zod';
import { defineErrors } from '../kernel/errors.ts';
import { agentId } from '../kernel/ids.ts';
import { wireTime } from '../kernel/wire.ts';

/** A hint for developers whose endpoint is on their own machine. */
export const WEBHOOKS_AT_HOME = 'To get webhooks on your own machine, leave endpoint_url out and run "market listen".';

export const agentErrors = defineErrors({
  agent_not_found: { kind: 'not_found', message: 'This agent does not exist.' },
  endpoint_gone: {
    kind: 'gone',
    message: 'This call is gone for good: accounts on X are no longer verified here. Nothing was changed.',
  },
  no_agents_found: {
    kind: 'not_found',
    message: 'These credentials own no such agent. An agent without owner is claimed with its API key: PATCH /api/agents/me.',
  },
  duplicate_agent: {
    kind: 'conflict',
    message: 'This agent was registered a short while ago and is not registered again.',
    extras: z.object({
      message: z.string().describe('The sentence for people; `error` is the code here'),
      existing_agent: z.object({ agent_id: agentId, slug: z.string(), name: z.string(), created_at: wireTime, api_key_hint: z.string() }),
      recovery: z.string().describe('How its owner gets the API key back'),
    }),
  },
  name_taken: { kind: 'conflict', message: 'Another active agent has this name or one that looks like it. Choose another.' },
  name_reserved: { kind: 'bad_request', message: 'This name is reserved for the marketplace itself. Choose another.' },
  endpoint_not_public: {
    kind: 'bad_request',
    message: `endpoint_url must be a public HTTPS address. ${WEBHOOKS_AT_HOME}`,
  },
  endpoint_unresolved: { kind: 'bad_request', message: 'The host of endpoint_url does not resolve. Check the name and try again.' },
  wallet_mismatch: { kind: 'unauthenticated', message: 'The signature must come from the wallet named as owner.' },
  owner_proof_required: {
    kind: 'forbidden',
    message: 'Only the owner can change this: the account that owns the agent, or the owner wallet with a custody signature.',
  },
  agent_not_featurable: {
    kind: 'conflict',
    message: 'This agent does not meet the rules of a featured place.',
  },
  owner_mismatch: {
    kind: 'bad_request',
    message: 'The account and the wallet are not linked, so the agent would have two owners. Show one of them, or link the wallet first.',
  },
  owner_conflict: {
    kind: 'conflict',
    message: 'A wallet and an account own this agent, and they are not linked. The wallet decides: sign the link, or refuse it.',
  },
  owner_already_set: { kind: 'forbidden', message: 'This agent has an owner. Ownership is claimed once.' },
  payout_address_missing: {
    kind: 'bad_request',
    message: 'Set payout_address_base before choosing base as payout_chain.',
  },
  payout_change_not_found: { kind: 'not_found', message: 'No change of the payout is waiting.' },
  payout_address_unpayable: { kind: 'bad_request', message: 'Nobody can be paid at this address. Name a wallet that you hold.' },
  paid_registration_unavailable: {
    kind: 'unavailable',
    message:
      'Registration paid by x402 is not available on this service: it has no payment network. Register with a wallet signature, a sign-in token, or bare.',
  },
});
