/**
 * Who vouches for whom: which proof gives which power. The executor enforces it for every transport, a test calls every operation with
 * every proof, and the docs print it.
 */
import type { Power } from './powers.ts';
import type { Proof } from './proofs.ts';

interface ConditionRule {
  readonly sentence: string;
  /** Only operations that list the proof in `proofs` take it. Other conditions hold for every operation, in its handler. */
  readonly byOperation?: true;
}

export const conditions = {
  unowned: { sentence: 'Registers an agent without owner.', byOperation: true },
  own_position: { sentence: 'Earn only: the wallet’s own position, paid to the wallet itself.', byOperation: true },
  fixed_by_spec: { sentence: 'Registration of an agent or a token, whose fields the specification fixes.', byOperation: true },
  fixed_payee: { sentence: 'Claims of creator fees: the owner fixed where they are paid.', byOperation: true },
  own_cookie: { sentence: 'Ends the session of the cookie that it sends.', byOperation: true },
  own_things: { sentence: 'Only for what this wallet itself owns.' },
  named_action: { sentence: 'Exactly the action and the account that the message names.', byOperation: true },
  same_site: { sentence: 'Never on a cross-site request.' },
  settings: {
    sentence:
      'Registration, policies, approvals and connections. Consent to Money or Custody only in the first 15 minutes of the session.',
    byOperation: true,
  },
  delayed: {
    sentence:
      'Only what the account itself owns or deposited. At once with a custody signature of a wallet linked for 24 hours; otherwise after 24 hours, announced and cancellable.',
  },
  account_owned: { sentence: 'Only for what the account itself owns. Where a wallet owns it too, links need that wallet’s message.' },
  allowed_wallets: {
    sentence:
      'The agent’s own wallets, and wallets whose owner allowed this agent, within the policies of agent, connection and owner. A program without an agent: none.',
  },
  nobody_owns: { sentence: 'While nobody owns the agent: its payout address and a new key.' },
  own_wallets: { sentence: 'Earn only: the agent’s position, paid to the agent’s own wallets.', byOperation: true },
  within_policy: { sentence: 'Budget sessions within its policy, and a paid registration, which inherits the policy.', byOperation: true },
  messages: { sentence: 'Messages, disputes and statements.' },
  for_person: {
    sentence: 'An agent for the person, without its key, limited like the connection. It stops with the connection unless the person keeps it.',
    byOperation: true,
  },
  token_fields: { sentence: 'A token of the chosen agent, with a signature of the owner’s wallet.', byOperation: true },
  narrows: { sentence: 'Narrows the key it goes with; adds nothing.' },
  this_order: { sentence: 'This one order. A token that a program got ends with its connection.' },
  this_purchase: { sentence: 'Exactly the purchase that it names.' },
  for_payer: { sentence: 'Registers an agent for the payer.', byOperation: true },
  bare_rules: {
    sentence:
      'Only from a wallet that never proved itself here, for an offer older than the transfer. The payer can contest it; results are withheld and a registration’s key is provisional until then.',
  },
  as_account: { sentence: 'As the account that they are; never for another.' },
  clears_tokens: { sentence: 'Reads of the accounts, and clearing a token record.' },
} as const satisfies Record<string, ConditionRule>;

export type Condition = keyof typeof conditions;

export type Cell = boolean | Condition;

type Row = Readonly<Record<Exclude<Power, 'public'>, Cell>>;

const no: Row = {
  read: false,
  result: false,
  self: false,
  buy: false,
  sell: false,
  place: false,
  spend: false,
  fund: false,
  revoke: false,
  move: false,
  grant: false,
  recover: false,
  operate: false,
};

/** Everyday powers of somebody who acts in person. */
const acts: Row = { ...no, read: true, result: true, self: true, buy: true, sell: true, place: true, revoke: true };

const rows: Readonly<Record<Proof, Row>> = {
  none: { ...no, revoke: 'own_cookie', grant: 'unowned' },
  signature_in_query: { ...no, read: true, result: true },
  signature: { ...acts, spend: true, fund: 'fixed_payee', move: 'own_position' },
  single_use: { ...acts, spend: true, fund: 'fixed_payee', move: 'own_position', grant: 'fixed_by_spec', recover: true },
  sign_in: { ...acts, spend: true, fund: 'fixed_payee', move: 'own_position', grant: 'fixed_by_spec', recover: true },
  custody: { ...acts, spend: true, fund: true, move: 'own_things', grant: 'own_things', recover: true },
  action: { ...no, grant: 'named_action', revoke: true },
  session: { ...acts, spend: 'same_site', fund: true, move: 'own_position', grant: 'settings' },
  account: { ...acts, fund: true, move: 'delayed', grant: 'account_owned', recover: 'account_owned' },
  linked_wallet: { ...acts, spend: true, fund: 'fixed_payee' },
  key_unowned: { ...acts, spend: 'allowed_wallets', fund: true, move: 'nobody_owns', grant: 'nobody_owns' },
  key: { ...acts, spend: 'allowed_wallets', fund: true, move: 'own_wallets', grant: 'within_policy' },
  scope_read: { ...no, read: true, result: true },
  scope_hire: { ...no, buy: true, place: true, spend: 'allowed_wallets' },
  scope_work: { ...no, buy: 'messages', sell: true, spend: 'allowed_wallets', grant: 'for_person' },
  scope_money: { ...no, spend: 'allowed_wallets', move: 'own_wallets' },
  scope_custody: { ...no, fund: true, grant: 'token_fields' },
  budget: Object.fromEntries(Object.keys(no).map((power) => [power, 'narrows'])) as unknown as Row,
  read_token: { ...no, read: 'this_order', result: 'this_order' },
  buyer_token: { ...no, read: 'this_order', result: 'this_order', buy: 'this_order', spend: 'this_order' },
  payment: { ...no, place: true, spend: 'this_purchase', grant: 'for_payer' },
  reference: { ...no, place: true, spend: 'this_purchase', grant: 'for_payer' },
  bare: { ...no, place: 'bare_rules', spend: 'bare_rules', grant: 'for_payer' },
  admin: {
    ...no,
    read: true,
    result: true,
    self: 'as_account',
    buy: 'as_account',
    sell: 'as_account',
    place: 'as_account',
    revoke: 'as_account',
    grant: 'as_account',
    operate: true,
  },
  operator_key: { ...no, operate: 'clears_tokens' },
};

/** What one proof gives. Everybody may read public records. */
export function cellOf(proof: Proof, power: Power): Cell {
  return power === 'public' ? true : rows[proof][power];
}
