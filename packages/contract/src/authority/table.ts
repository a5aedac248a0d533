/**
 * The table of authority: which proof gives which power. The executor enforces it for every transport, a test calls every operation with
 * every proof, and the docs print it.
 */
import type { Power } from './powers.ts';
import type { Proof } from './proofs.ts';

/** Conditions that count only for operations that list the proof in `proofs`. */
export const conditionsByOperation = [
  'unowned',
  'own_position',
  'fixed_by_spec',
  'fixed_payee',
  'own_cookie',
  'named_action',
  'settings',
  'own_wallets',
  'within_policy',
  'for_person',
  'token_fields',
  'for_payer',
] as const;

type OtherCondition =
  | 'own_things'
  | 'same_site'
  | 'delayed'
  | 'account_owned'
  | 'allowed_wallets'
  | 'nobody_owns'
  | 'messages'
  | 'narrows'
  | 'this_order'
  | 'this_purchase'
  | 'bare_rules'
  | 'as_account'
  | 'clears_tokens';

/** A condition that handlers check. `condition-words.ts` explains each. */
export type Condition = (typeof conditionsByOperation)[number] | OtherCondition;

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

/** Everyday powers of a person or agent that acts for itself. */
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

/** Whether, or under which condition, a proof gives a power. Anyone may read public records. */
export function cellOf(proof: Proof, power: Power): Cell {
  return power === 'public' ? true : rows[proof][power];
}
