/** Ways to spoil the movements of an agent's wallets, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const sent = `(select id from wallet_movements where state = 'confirmed' and purpose = 'send' order by id limit 1)`;
const withoutGuard = 'alter table wallet_log disable trigger all';

export const walletCorruptions: readonly Corruption[] = [
  {
    what: 'a confirmed movement whose transaction is forgotten',
    breaks: 'Q01',
    sql: [`update outgoing_attempts set state = 'expired' where intent_id = ${sent}`],
  },
  {
    what: 'a landed movement that is called failed',
    breaks: 'Q01',
    sql: [`update wallet_movements set state = 'failed', reference = null where id = ${sent}`],
  },
  {
    what: 'a movement queued again while its bytes may land',
    breaks: 'Q06',
    sql: [
      `update outgoing_attempts set state = 'sent' where intent_id = ${sent}`,
      `update wallet_movements set state = 'queued', reference = null where id = ${sent}`,
    ],
  },
  {
    what: 'a movement that nobody ordered',
    breaks: 'S03',
    sql: [
      `insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount)
       select 'mov_forged', agent_id, 'send', network, wallet, destination, asset, amount from wallet_movements where id = ${sent}`,
    ],
  },
  {
    what: 'a destination that was changed after the order',
    breaks: 'S03',
    sql: [`update wallet_movements set destination = destination || '0' where id = ${sent}`],
  },
  {
    what: 'a movement out of another agent’s wallet',
    breaks: 'S04',
    sql: [
      `update wallet_movements set wallet = (select address from agent_wallets where agent_id <> wallet_movements.agent_id limit 1) where id = ${sent}`,
    ],
  },
  {
    what: 'a withdrawal to an address the owner never set',
    breaks: 'S05',
    sql: [withoutGuard, `update wallet_log set address = address || '0' where action = 'withdraw_address_changed'`],
  },
];

const moved = `(select id from delayed_moves where state = 'done' and kind = 'wallet_send' order by id limit 1)`;
const waiting = `(select id from delayed_moves where state = 'waiting' order by id limit 1)`;

/** Ways to spoil waiting moves. */
export const moveCorruptions: readonly Corruption[] = [
  {
    what: 'a move whose time never comes',
    breaks: 'W01',
    sql: [`delete from jobs where unique_key = 'move.run:' || ${waiting}`],
  },
  {
    what: 'a done send that ordered nothing',
    breaks: 'W02',
    sql: [`update delayed_moves set result_id = null where id = ${moved}`],
  },
  {
    what: 'a send to another destination than was announced',
    breaks: 'W02',
    sql: [`update delayed_moves set payload = jsonb_set(payload, '{destination}', '"0x00"') where id = ${moved}`],
  },
  {
    what: 'a move that still waits although it ordered a send',
    breaks: 'W02',
    sql: [`update delayed_moves set state = 'waiting', ended_at = null where id = ${moved}`],
  },
  {
    what: 'a send that left before its time',
    breaks: 'W03',
    sql: [`update delayed_moves set effective_at = effective_at + interval '1 day' where id = ${moved}`],
  },
  {
    what: 'a key that could be fetched during the wait',
    breaks: 'W03',
    sql: [
      `update delayed_moves set state = 'ready', ready_until = effective_at - interval '1 hour' where kind = 'key_export' and state = 'waiting'`,
    ],
  },
  {
    what: 'a move that was done twice',
    breaks: 'W04',
    sql: [
      `insert into events (type, subject_id, data, context) select type, subject_id, data, context from events
       where type = 'move.done' and subject_id = ${moved}`,
    ],
  },
  {
    what: 'a cancelled move that was done',
    breaks: 'W04',
    sql: [`update delayed_moves set state = 'cancelled', result_id = null where id = ${moved}`],
  },
];
