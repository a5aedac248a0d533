/** Ways to spoil the movements of an agent's wallets, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const sent = `(select id from wallet_movements where state = 'confirmed' and purpose = 'send' order by id limit 1)`;
const withoutGuard = 'alter table wallet_log disable trigger all';

export const walletCorruptions: readonly Corruption[] = [
  {
    what: 'a confirmed movement whose transaction is forgotten',
    breaks: 'S01',
    sql: [`update wallet_attempts set state = 'expired' where movement_id = ${sent}`],
  },
  {
    what: 'a landed movement that is called failed',
    breaks: 'S01',
    sql: [`update wallet_movements set state = 'failed', reference = null where id = ${sent}`],
  },
  {
    what: 'a movement queued again while its bytes may land',
    breaks: 'S02',
    sql: [
      `update wallet_attempts set state = 'sent' where movement_id = ${sent}`,
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
