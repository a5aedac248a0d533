/** Types and words that several components of the wallet page share. */
import type { Answer } from '../../../data/answers.ts';

export type Funding = Answer<'wallets.funding'>['data'];
export type WalletBalance = Funding['balances'][number];
export type LogEntry = Answer<'wallets.log'>['data'][number];

export const actorWords: Readonly<Record<LogEntry['by'], string>> = {
  owner_account: 'you, signed in',
  owner_wallet: 'you, by wallet',
  agent_key: 'the agent',
};

export const actionWords: Readonly<Record<LogEntry['action'], string>> = {
  send: 'Sent',
  withdraw: 'Withdrawn by the agent',
  token_launch: 'Token launched',
  said_identity: 'Identity minted',
  agent_registration: 'Agent registered on chain',
  earn_deposit: 'Deposited to earn',
  withdraw_address_requested: 'Withdraw address asked for',
  withdraw_address_changed: 'Withdraw address changed',
  key_exported: 'Private key exported',
};

export const movementWords: Readonly<Record<NonNullable<LogEntry['movement']>['status'], string>> = {
  pending: 'waiting to be sent',
  sent: 'on its way',
  confirmed: 'arrived',
  failed: 'not sent',
};
