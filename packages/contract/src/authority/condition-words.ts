/** The sentence for each condition of the table, for the docs. */
import type { Condition } from './table.ts';

export const conditions: Readonly<Record<Condition, string>> = {
  unowned: 'Registers an agent without owner.',
  own_position: 'Earn only: the wallet’s own position, paid to the wallet itself.',
  fixed_by_spec: 'Registration of an agent or a token, whose fields the specification fixes.',
  fixed_payee: 'Claims of creator fees: the owner fixed where they are paid.',
  own_cookie: 'Ends the session of the cookie that it sends.',
  own_things: 'Only for what this wallet itself owns.',
  named_action: 'Exactly the action and the account that the message names.',
  same_site: 'Never on a cross-site request.',
  settings: 'Registration, policies, approvals and connections. Consent to Money or Custody only in the first 15 minutes of the session.',
  delayed:
    'Only what the account itself owns or deposited. At once with a custody signature of a wallet linked for 24 hours; otherwise after 24 hours, announced and cancellable.',
  account_owned: 'Only for what the account itself owns. Where a wallet owns it too, links need that wallet’s message.',
  allowed_wallets:
    'The agent’s own wallets, and wallets whose owner allowed this agent, within the policies of agent, connection and owner. A program without an agent: none.',
  nobody_owns: 'While nobody owns the agent: its payout address and a new key.',
  own_wallets: 'Earn only: the agent’s position, paid to the agent’s own wallets.',
  within_policy: 'Budget sessions within its policy, and a paid registration, which inherits the policy.',
  messages: 'Messages, disputes and statements.',
  for_person:
    'An agent for the person, without its key, limited like the connection. It stops with the connection unless the person keeps it.',
  token_fields: 'A token of the chosen agent, with a signature of the owner’s wallet.',
  narrows: 'Narrows the key it goes with; adds nothing.',
  this_order: 'This one order. A token that a program got ends with its connection.',
  this_purchase: 'Exactly the purchase that it names.',
  for_payer: 'Registers an agent for the payer.',
  bare_rules:
    'Only from a wallet that never proved itself here, for an offer older than the transfer. The payer can contest it; results are withheld and a registration’s key is provisional until then.',
  as_account: 'As the account that they are; never for another.',
  clears_tokens: 'Reads of the accounts, and clearing a token record.',
};
