import { defineErrors } from '../../kernel/errors.ts';

export const onchainIdentityErrors = defineErrors({
  onchain_identity_unavailable: {
    kind: 'unavailable',
    message: 'This service has no ERC-8004 registry to register agents in. Nothing was changed.',
  },
  onchain_identity_exists: { kind: 'conflict', message: 'This agent is registered on chain. An agent is registered at most once.' },
  onchain_identity_in_progress: {
    kind: 'conflict',
    message: 'A registration of this agent is under way. GET /api/agents/{id}/onchain-identity shows its end.',
  },
  onchain_identity_hidden: {
    kind: 'forbidden',
    message: 'This agent is not public, so nobody could read its registration file. Make it public first.',
  },
  onchain_identity_refused: { kind: 'bad_gateway', message: 'The registry refused this agent. It is not registered; you may try again.' },
});
