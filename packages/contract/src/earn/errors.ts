import { defineErrors } from '../kernel/errors.ts';
import { formatUsd } from '../kernel/money.ts';
import { earnLimits } from './limits.ts';

export const earnErrors = defineErrors({
  earn_unavailable: { kind: 'unavailable', message: 'Earn is not configured on this service.' },
  earn_venue_unavailable: {
    kind: 'unavailable',
    message: 'This venue is not configured or cannot be reached. Nothing was used up; try again later.',
  },
  earn_market_unknown: { kind: 'bad_request', message: 'There is no such venue or market. GET /api/earn/pool/markets lists them.' },
  earn_deposits_closed: { kind: 'bad_request', message: 'This vault takes no deposits now. Nothing was used up.' },
  earn_first_deposit_too_small: {
    kind: 'bad_request',
    message:
      'The first deposit of a fresh pool is at least 100 USD. Nothing was used up: the transfer can be part of another deposit or be returned.',
  },
  earn_deposit_too_small: {
    kind: 'bad_request',
    message: `A deposit is at least ${formatUsd(earnLimits.leastDepositMicros)} USDC and buys at least one share. Nothing was used up; deposit more.`,
  },
  earn_deploy_failed: {
    kind: 'bad_gateway',
    message: 'The venue did not take the deposit. The amount is on its way back to the wallet it came from.',
  },
  earn_deposit_taken: { kind: 'conflict', message: 'This transfer is a deposit of another owner already.' },
  earn_deposit_differs: { kind: 'conflict', message: 'This transfer is a deposit of yours already, with another vault or amount.' },
  earn_no_position: {
    kind: 'bad_request',
    message: 'You hold no shares of this vault. GET /api/earn/pool/movements lists withdrawals that wait.',
  },
  earn_shares_insufficient: { kind: 'bad_request', message: 'You hold fewer shares than this.' },
  earn_shares_worthless: { kind: 'bad_request', message: 'These shares stand for nothing in the venue. Withdraw more, or all.' },
  earn_withdrawal_too_small: {
    kind: 'bad_request',
    message: `A withdrawal is at least ${formatUsd(earnLimits.leastWithdrawalMicros)} USDC. Withdraw more shares, or the whole position with all: true.`,
  },
  earn_withdrawal_open: {
    kind: 'conflict',
    message:
      'Your open withdrawal from this vault is paid to another wallet. Name that wallet in destination_wallet to add to it, or wait until it is paid.',
  },
  earn_destination_missing: {
    kind: 'bad_request',
    message: 'No wallet of yours is known on the network of this vault. Link one, or name it in destination_wallet.',
  },
  earn_destination_not_yours: {
    kind: 'bad_request',
    message: 'destination_wallet must be a proven wallet of the owner on the network of this vault.',
  },
  earn_agent_not_allowed: { kind: 'bad_request', message: 'An agent’s key withdraws its own position; leave out agent_id.' },
  earn_movement_not_found: { kind: 'not_found', message: 'You have no such deposit or withdrawal.' },
  earn_deposit_not_found: { kind: 'not_found', message: 'There is no such deposit.' },
  earn_deposit_not_held: { kind: 'conflict', message: 'Only a held deposit needs a decision; this one is in another state.' },
  earn_vault_not_found: { kind: 'not_found', message: 'There is no such vault.' },
  earn_nothing_to_recognise: { kind: 'conflict', message: 'Venue and book agree: there is no such difference to recognise.' },
});
