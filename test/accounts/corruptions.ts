/** Ways to spoil records of closed accounts or hidden fields, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const account = `(select id from users where closed_at is not null order by id limit 1)`;
const agent = `(select id from agents where closed_at is not null order by id limit 1)`;
const keeper = `(select id from users where closed_at is null order by id limit 1)`;

export const privacyCorruptions: readonly Corruption[] = [
  {
    what: 'a closed account whose e-mail is still there',
    breaks: 'K01',
    sql: [`update users set email = 'left@example.com' where id = ${account}`],
  },
  {
    what: 'a closed account that a wallet is linked to',
    breaks: 'K01',
    sql: [`insert into user_wallets (id, user_id, chain, address, proof) values ('uw_left', ${account}, 'base', '0xleft', 'idp')`],
  },
  {
    what: 'a closed agent that still signs webhooks',
    breaks: 'K02',
    sql: [`update agents set webhook_secret_sealed = 'left' where id = ${agent}`],
  },
  {
    what: 'a closed agent whose old key still replays answers',
    breaks: 'K02',
    sql: [`update agents set retired_key_hash = api_key_hash where id = ${agent}`],
  },
  {
    what: 'an order that a closed agent still has to deliver',
    breaks: 'K03',
    sql: [`update orders set status = 'quoted', cancelled_at = null where provider_agent_id = ${agent}`],
  },
  {
    what: 'a wallet that shows although no profile was saved',
    breaks: 'K04',
    sql: [
      `insert into user_wallets (id, user_id, chain, address, proof, shown) values ('uw_shown', ${keeper}, 'base', '0xshown', 'idp', true)`,
      `update users set profile_saved_at = null where id = ${keeper}`,
    ],
  },
  {
    what: 'an agent that shows its owner’s X handle unasked',
    breaks: 'K04',
    sql: [`update agents set closed_at = null, twitter_shown = true, owner_user_id = ${keeper} where id = ${agent}`],
  },
  {
    what: 'an X handle on an agent of a hidden wallet',
    breaks: 'K04',
    sql: [`update agents set closed_at = null, twitter_shown = true, owner_wallet = '0xhidden' where id = ${agent}`],
  },
];
