/** Who may spend: wallets that have proven themselves are known, so that no stranger spends their transfers. */
import type { Invariant } from './invariant.ts';

export const payerInvariants: readonly Invariant[] = [
  {
    id: 'P15',
    holds: 'every payer that was proven is known: a bare hash of its next transfer is refused',
    // What an operator gives back proves nobody.
    sql: `select c.caip2, c.reference, c.payer from payment_claims c where c.proof not in ('bare', 'operator') and c.payer <> 'unknown'
            and not exists (select 1 from wallet_proofs w where w.address = c.payer)
            and not exists (select 1 from agent_wallets w where w.address = c.payer)`,
  },
  {
    id: 'P16',
    holds: 'every wallet that lets an agent pay from it has signed here',
    sql: `select p.agent_id, p.address from agent_payers p where not exists (select 1 from wallet_proofs w where w.address = p.address)`,
  },
];
