/** Ways to spoil sound books with the rights of a database administrator, and the invariant that must notice each. */

export interface Corruption {
  readonly what: string;
  /** The invariant that must be reported. */
  readonly breaks: string;
  readonly sql: readonly string[];
}

const anEscrow = `(select id from ledger_accounts where kind = 'escrow' order by id limit 1)`;
const aClaim = `(select reference from payment_claims order by reference limit 1)`;
const aPaidOut = `(select id from payouts where purpose = 'payout' and state = 'confirmed' order by id limit 1)`;
const itsSubject = `(select subject_id from payouts where id = ${aPaidOut})`;
const unguard = (table: string) => `alter table ${table} disable trigger all`;

const ofTheBooks: readonly Corruption[] = [
  {
    what: 'an entry that no longer balances',
    breaks: 'L01',
    sql: [unguard('ledger_entries'), `update ledger_entries set amount_micros = amount_micros + 1 where account_id = ${anEscrow}`],
  },
  {
    what: 'a transfer with one side',
    breaks: 'L02',
    sql: [unguard('ledger_entries'), `delete from ledger_entries where account_id = ${anEscrow}`],
  },
  {
    what: 'a tampered balance',
    breaks: 'L03',
    sql: [`update ledger_accounts set balance_micros = balance_micros + 1 where id = ${anEscrow}`],
  },
  {
    what: 'an overdrawn account',
    breaks: 'L04',
    sql: [
      'alter table ledger_accounts drop constraint ledger_no_overdraft',
      `update ledger_accounts set balance_micros = -1 where id = ${anEscrow}`,
    ],
  },
  {
    what: 'a cut chain of hashes',
    breaks: 'L05',
    sql: [unguard('ledger_seals'), `update ledger_seals set previous_hash = sha256('cut') where number = 3`],
  },
  {
    what: 'forged content of a sealed transfer',
    breaks: 'L05',
    sql: [
      unguard('ledger_transfers'),
      `update ledger_transfers set subject_id = 'forged' where id = (select transfer_id from ledger_seals where number = 2)`,
    ],
  },
  {
    what: 'a removed seal in the middle',
    breaks: 'L05',
    sql: [unguard('ledger_seals'), `delete from ledger_seals where number = 2`],
  },
  {
    what: 'a removed last seal',
    breaks: 'L06',
    sql: [unguard('ledger_seals'), `delete from ledger_seals where number = (select max(number) from ledger_seals)`],
  },
  {
    what: 'a loan between networks that only one of them knows of',
    breaks: 'L07',
    sql: [`insert into ledger_accounts (kind, network, balance_micros) values ('interchain', 'base-mainnet', 5)`],
  },
  {
    what: 'a loan between networks that takes what is owed to others',
    breaks: 'L08',
    sql: [
      `insert into ledger_accounts (kind, network, balance_micros) values ('interchain', 'base-mainnet', 5), ('interchain', 'alt-mainnet', -5)`,
    ],
  },
];

const ofMoneyIn: readonly Corruption[] = [
  {
    what: 'an upper-case reference',
    breaks: 'P01',
    sql: [
      'alter table chain_receipts drop constraint chain_receipts_canonical',
      `insert into chain_receipts (caip2, reference, network, payer, received_micros, block_number, block_time, finality)
       select caip2, upper(reference), network, payer, received_micros, block_number, block_time, finality from chain_receipts where caip2 like 'eip155:%' limit 1`,
    ],
  },
  {
    what: 'a claim on a receipt that was rolled back',
    breaks: 'P02',
    sql: [`update chain_receipts set finality = 'gone' where reference = ${aClaim}`],
  },
  {
    what: 'a changed amount of a claim',
    breaks: 'P02',
    sql: [`update payment_claims set amount_micros = amount_micros + 1 where reference = ${aClaim}`],
  },
  {
    what: 'a claim that takes more than was received',
    breaks: 'P03',
    sql: [
      'alter table payment_claims drop constraint payment_claims_check',
      `update payment_claims set price_micros = amount_micros + 1 where reference = ${aClaim}`,
    ],
  },
  {
    what: 'a claim without its posting',
    breaks: 'P04',
    sql: [
      unguard('ledger_transfers'),
      `update ledger_transfers set idempotency_key = 'lost' where idempotency_key like 'claim:%' || ${aClaim}`,
    ],
  },
  {
    what: 'a receipt without its posting',
    breaks: 'P05',
    sql: [
      `insert into chain_receipts (caip2, reference, network, payer, received_micros, block_number, block_time, finality)
       select caip2, '0x' || repeat('ab', 32), network, payer, received_micros, block_number, block_time, finality from chain_receipts where caip2 like 'eip155:%' limit 1`,
    ],
  },
  {
    what: 'money of a claimed transfer that still waits for somebody',
    breaks: 'P06',
    sql: [`update ledger_accounts set balance_micros = 1 where kind = 'unmatched' and owner like '%/' || ${aClaim}`],
  },
];

const ofMoneyInDetails: readonly Corruption[] = [
  {
    what: 'a changed price of a claim',
    breaks: 'P07',
    sql: [`update payment_claims set price_micros = price_micros - 1 where reference = ${aClaim}`],
  },
  {
    what: 'a changed payer of a claim',
    breaks: 'P07',
    sql: [`update payment_claims set payer = 'somebody else' where reference = ${aClaim}`],
  },
  {
    what: 'a receipt moved to another network',
    breaks: 'P08',
    sql: [`update chain_receipts set network = 'nowhere' where reference = ${aClaim}`],
  },
  {
    what: 'a payment for a registration that made no agent and does not go back',
    breaks: 'P09',
    sql: [`update payment_claims set purpose = 'registration' where reference = ${aClaim}`],
  },
];

const ofMoneyOut: readonly Corruption[] = [
  {
    what: 'a second confirmed attempt',
    breaks: 'Q01',
    sql: [
      'drop index outgoing_attempts_one_confirmed',
      `insert into outgoing_attempts (intent_id, number, reference, signed_bytes, validity, state) values (${aPaidOut}, 2, 'another', 'bytes', '1', 'confirmed')`,
    ],
  },
  {
    what: 'a payout confirmed without its posting',
    breaks: 'Q02',
    sql: [`update payouts set state = 'confirmed', reference = 'nowhere' where state = 'parked'`],
  },
  {
    what: 'a reservation that is gone',
    breaks: 'Q03',
    sql: [`update ledger_accounts set balance_micros = 0 where kind = 'in_flight' and balance_micros > 0`],
  },
  {
    what: 'a refund on top of the payout',
    breaks: 'Q04',
    sql: [
      `insert into payouts (id, purpose, subject_id, network, destination, amount_micros) select 'pay_added', 'refund', subject_id, network, destination, amount_micros from payouts where id = ${aPaidOut}`,
    ],
  },
  {
    what: 'a payout on money that is not final',
    breaks: 'Q05',
    sql: [
      `update chain_receipts set finality = 'confirmed' where reference = (select reference from payment_claims where subject_id = ${itsSubject})`,
    ],
  },
  {
    what: 'a payout whose signed bytes are lost',
    breaks: 'Q06',
    sql: [`update outgoing_attempts set signed_bytes = '' where intent_id = ${aPaidOut}`],
  },
  {
    what: 'an intent that belongs to no feature',
    breaks: 'Q11',
    sql: [
      `insert into outgoing_intents (id, purpose, subject_id, network, destination, amount) values ('forged', 'venue_deposit', 'edep', 'base-mainnet', 'elsewhere', 1)`,
    ],
  },
  {
    what: 'a changed amount of a payout',
    breaks: 'Q08',
    sql: [`update payouts set amount_micros = amount_micros + 1 where id = ${aPaidOut}`],
  },
  {
    what: 'a changed destination of a payout',
    breaks: 'Q08',
    sql: [`update payouts set destination = 'elsewhere' where id = ${aPaidOut}`],
  },
  { what: 'a changed reference of a payout', breaks: 'Q08', sql: [`update payouts set reference = 'another' where id = ${aPaidOut}`] },
  {
    what: 'a transfer found on chain that was never booked',
    breaks: 'Q10',
    sql: [
      `insert into unbooked_outflows (network, reference, position, destination, amount_micros) values ('base-mainnet', '0xfound', 0, 'elsewhere', 1)`,
    ],
  },
  {
    what: 'a second payout for one subject',
    breaks: 'Q07',
    sql: [
      'drop index outgoing_intents_one_payout',
      `insert into payouts (id, purpose, subject_id, network, destination, amount_micros) select 'pay_second', purpose, subject_id, network, destination, 1 from payouts where id = ${aPaidOut}`,
    ],
  },
];

const ofTheRest: readonly Corruption[] = [
  {
    what: 'a missing event of a payment',
    breaks: 'V01',
    sql: [unguard('events'), `delete from events where id = (select id from events where type = 'payment.claimed' limit 1)`],
  },
  {
    what: 'a missing event of a payout',
    breaks: 'V01',
    sql: [unguard('events'), `delete from events where id = (select id from events where type = 'payout.confirmed' limit 1)`],
  },
  {
    what: 'an event told twice',
    breaks: 'V01',
    sql: [`insert into events (type, subject_id, data) select type, subject_id, data from events where type = 'payout.confirmed' limit 1`],
  },
  {
    what: 'a flattered figure of an agent',
    breaks: 'V09',
    sql: [`update agent_figures set completed_orders = completed_orders + 1 where agent_id = (select min(agent_id) from agent_figures)`],
  },
  { what: 'a key stored in clear', breaks: 'V02', sql: [`update agents set api_key_sealed = 'market_' || repeat('ab', 24)`] },
];

export const corruptions: readonly Corruption[] = [...ofTheBooks, ...ofMoneyIn, ...ofMoneyInDetails, ...ofMoneyOut, ...ofTheRest];
