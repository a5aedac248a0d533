/** Ways to spoil on-chain registrations, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

export const registrationCorruptions: readonly Corruption[] = [
  {
    what: 'a final registration that counts as failed',
    breaks: 'S06',
    sql: [`update agent_registrations set state = 'failed', onchain_id = null where state = 'made'`],
  },
  {
    what: 'a paid registration that is forgotten',
    breaks: 'S06',
    sql: [`delete from agent_registrations where state = 'made'`],
  },
  {
    what: 'a registration in another contract than the paid one',
    breaks: 'S06',
    sql: [`update agent_registrations set registry = 'eip155:8453:0x0000000000000000000000000000000000000001' where state = 'made'`],
  },
  {
    what: 'an agent with an id it was not given',
    breaks: 'S07',
    sql: [`update agents set erc8004_agent_id = '9' || erc8004_agent_id where erc8004_agent_id is not null`],
  },
  {
    what: 'an agent that lost its identity',
    breaks: 'S07',
    sql: [`update agents set erc8004_registry = null, erc8004_agent_id = null where erc8004_agent_id is not null`],
  },
];
