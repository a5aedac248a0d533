/** The SQL that finds the transfers of a surplus. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerAccount } from '../ledger/index.ts';

export interface SurplusSource {
  readonly network: NetworkName;
  readonly reference: string;
  readonly finality: string;
}

/** The transfers that added to a surplus since it was last given back, in that order. */
export async function listSurplusSources(db: Db, { kind, owner, network }: LedgerAccount): Promise<SurplusSource[]> {
  // `claim:eip155:8453/0xab:1` is the second claim of 0xab. Other postings are about the receipt itself.
  const { rows } = await sql<SurplusSource>`
    with account as (select id from ledger_accounts where kind = ${kind} and owner = ${owner} and network = ${network}),
    postings as (
      select t.id, t.kind, e.amount_micros,
        case when t.kind = 'payment_claimed' then substr(t.idempotency_key, length('claim:') + 1) else t.subject_id end as name
      from ledger_entries e join ledger_transfers t on t.id = e.transfer_id where e.account_id = (select id from account))
    select r.network, r.reference, r.finality from postings p
    join chain_receipts r on r.caip2 = split_part(p.name, '/', 1) and r.reference = split_part(split_part(p.name, '/', 2), ':', 1)
    where p.amount_micros > 0 and p.id > coalesce((select max(id) from postings where kind = 'payout_reserved'), 0)
    order by p.id`.execute(db);
  return rows;
}
