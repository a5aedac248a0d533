/** Invariants of who may spend a transfer: proven wallets are on record, so that no stranger spends their transfers. */
import type { Invariant } from './invariant.ts';

export const payerInvariants: readonly Invariant[] = [
  {
    id: 'P15',
    holds: 'every proven payer is on record, so a bare hash of its next transfer is refused',
    // Transfers that an operator gave back prove no payer.
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
