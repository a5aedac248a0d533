/** Ways to spoil the tokens on record, and the invariant that must notice each. The market has one agent with a token and one without. */
import type { Corruption } from '../money/corruptions.ts';

export const tokenCorruptions: readonly Corruption[] = [
  {
    what: 'another mint than the registered one',
    breaks: 'T01',
    sql: [`update agents set token_mint = 'Forged ' || id where token_mint is not null`],
  },
  {
    what: 'another creator than the registered one',
    breaks: 'T01',
    sql: [`update agents set token_creator_wallet = 'Forged' where token_mint is not null`],
  },
  {
    what: 'a token that nobody registered',
    breaks: 'T01',
    sql: [
      `update agents set token_mint = 'Forged ' || id, token_name = 'F', token_symbol = 'F', token_mode = 'byot', token_creator_wallet = 'F',
              token_created_at = market_now() where token_mint is null`,
    ],
  },
  {
    what: 'half a token',
    breaks: 'T02',
    sql: ['alter table agents drop constraint agents_whole_token', 'update agents set token_name = null where token_mint is not null'],
  },
  {
    what: 'one token for two agents',
    breaks: 'T02',
    sql: [
      'alter table agents drop constraint agents_token_mint_key, drop constraint agents_whole_token',
      'update agents set token_mint = (select t.token_mint from agents t where t.token_mint is not null limit 1) where token_mint is null',
    ],
  },
  {
    what: 'a token under another name than the registered one',
    breaks: 'T07',
    sql: [`update agents set token_name = 'USD Coin' where token_mint is not null`],
  },
  {
    what: 'two tokens that look alike',
    breaks: 'T08',
    sql: [`update agents set token_words = array['same'] where token_mint is not null`],
  },
];
