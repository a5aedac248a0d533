/** Ways to spoil published reviews, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const unlocked = (statement: string) => ['alter table onchain_feedback disable trigger keep_onchain_feedback', statement];

export const feedbackCorruptions: readonly Corruption[] = [
  {
    what: 'a published review that shows another transaction',
    breaks: 'S08',
    sql: [`update reviews set onchain_tx_hash = '0x' || repeat('5', 64) where onchain_tx_hash is not null`],
  },
  {
    what: 'a review that shows a publication nobody made',
    breaks: 'S08',
    sql: [`update reviews set onchain_tx_hash = '0x' || repeat('5', 64), onchain_at = now() where onchain_tx_hash is null`],
  },
  {
    what: 'a published review whose file is gone',
    breaks: 'S08',
    sql: unlocked(`delete from onchain_feedback where state = 'published'`),
  },
  {
    what: 'a published rating that the buyer did not give',
    breaks: 'S09',
    sql: unlocked(`update onchain_feedback set value = 100 - value where state = 'published'`),
  },
  {
    what: 'feedback about an agent of another registry',
    breaks: 'S09',
    sql: unlocked(`update onchain_feedback set agent_registry = 'eip155:8453:0x0000000000000000000000000000000000000001'`),
  },
];
