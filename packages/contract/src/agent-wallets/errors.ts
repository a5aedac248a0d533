import { defineErrors } from '../kernel/errors.ts';

export const walletErrors = defineErrors({
  wallets_disabled: { kind: 'unavailable', message: 'Agent wallets are not available on this service. Nothing was changed.' },
  wallet_key_unreadable: {
    kind: 'unavailable',
    message: 'The key of this wallet cannot be opened, so nothing was moved. Operators see this in their log; try again later.',
  },
  wallet_missing: { kind: 'bad_request', message: 'This agent has no wallet of that kind yet. Try again in a minute.' },
  wallet_funds_insufficient: { kind: 'bad_request', message: 'The wallet holds too little for this. Fund it or send less.' },
  wallet_destination_invalid: { kind: 'bad_request', message: 'This address cannot receive the transfer. Name another wallet.' },
  wallet_daily_limit: { kind: 'bad_request', message: 'This is more than the wallet may send within a day. Send less or try again later.' },
  wallet_movement_refused: { kind: 'bad_request', message: 'The network refused the transfer. Nothing was moved.' },
  payer_not_found: { kind: 'not_found', message: 'This wallet does not allow the agent to pay from it.' },
  too_many_payers: {
    kind: 'conflict',
    message:
      'Too many wallets allow this agent to pay from them. The agent or its owner removes some first, or sends this permission itself.',
  },
  withdraw_address_missing: {
    kind: 'bad_request',
    message: 'No withdraw address is set for this chain. The owner sets one with PUT /api/agents/{id}/withdraw-address.',
  },
});
