/** Ways to spoil launches, and the invariant that must notice each. The market has launched a token and minted an identity. */
import type { Corruption } from '../../money/corruptions.ts';

const launched = `(select id from agents where token_mode = 'partner' order by id limit 1)`;
const made = `(select movement_id from agent_mints where kind = 'token_launch' and state = 'made' order by movement_id limit 1)`;

export const launchCorruptions: readonly Corruption[] = [
  {
    what: 'a launched token without its launch',
    breaks: 'T03',
    sql: [`delete from agent_mints where mint = (select token_mint from agents where id = ${launched})`],
  },
  {
    what: 'a launched token whose lock was released',
    breaks: 'T03',
    sql: [`update agents set token_launch_attempted_at = null where id = ${launched}`],
  },
  {
    what: 'a launched token with another transaction',
    breaks: 'T03',
    sql: [`update agents set token_tx_hash = 'forged' where id = ${launched}`],
  },
  {
    what: 'a lock without a launch',
    breaks: 'T04',
    sql: [`update agents set token_launch_attempted_at = now() where token_mint is null`],
  },
  {
    what: 'a launch that is open beside the token',
    breaks: 'T04',
    sql: [`update agent_mints set state = 'open' where movement_id = ${made}`],
  },
  {
    what: 'a paid mint that is called failed',
    breaks: 'T05',
    sql: [`update agent_mints set state = 'failed' where movement_id = ${made}`],
  },
  {
    what: 'a paid movement that makes nothing',
    breaks: 'T05',
    sql: [`delete from agent_mints where kind = 'said_identity'`],
  },
  {
    what: 'an identity in a strange wallet',
    breaks: 'T06',
    sql: [`update agents set said_wallet = 'forged' where said_wallet is not null`],
  },
  {
    what: 'a minted identity that is forgotten',
    breaks: 'T06',
    sql: ['update agents set said_wallet = null, said_pda = null, said_tx_hash = null where said_wallet is not null'],
  },
  {
    what: 'a launched token that its mint does not name',
    breaks: 'T07',
    sql: [`update agents set token_named_by = 'owner' where id = ${launched}`],
  },
];
