/** The SQL of money that left for a transfer before these books were put back. */
import type { NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { UnbookedOutflowsTable } from '../../platform/db/schema.generated.ts';
import type { ClaimRow } from './repository.ts';

export type UnbookedRow = Selectable<UnbookedOutflowsTable>;

/** Outgoing transfers that name an intent which these books do not have. Empty unless books were put back. */
export async function listUnbooked(db: Db): Promise<UnbookedRow[]> {
  return await db.selectFrom('unbookedOutflows').selectAll().where('intentId', 'is', null).where('intentKey', 'is not', null).execute();
}

/** Every transfer of this payer, claimed or not. */
export async function listReferencesOf(db: Db, network: NetworkName, payer: string): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select reference from chain_receipts where network = ${network} and payer = ${payer}
    union select c.reference from payment_claims c join chain_receipts r using (caip2, reference) where r.network = ${network} and c.payer = ${payer}`.execute(
    db,
  );
  return rows.map(({ reference }) => reference);
}

/** The largest possible surplus of this payer without this transfer: open refunds and transfers that nobody has claimed. */
export async function readMostSurplus(db: Db, network: NetworkName, payer: string, reference: string): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select (coalesce((select balance_micros from ledger_accounts where kind = 'surplus_payable' and owner = ${payer} and network = ${network}), 0)
      + coalesce((select sum(p.amount_micros) from payouts p where p.purpose = 'surplus' and p.network = ${network}
          and p.subject_id like '%/' || ${payer} and p.state in ('queued', 'parked')), 0)
      + coalesce((select sum(a.balance_micros) from chain_receipts r
          join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
          where r.network = ${network} and r.payer = ${payer} and r.reference <> ${reference}), 0))::bigint as micros`.execute(db);
  return rows[0]?.micros ?? 0n;
}

export type ClaimOfTransfer = Pick<ClaimRow, 'caip2' | 'reference' | 'purpose' | 'payer' | 'priceMicros'> & {
  readonly network: NetworkName;
};

/** The claims that paid for this subject, or of this payer. */
export async function listClaimsOf(db: Db, of: { readonly subjectId: string } | { readonly payer: string }): Promise<ClaimOfTransfer[]> {
  const rows = await db
    .selectFrom('paymentClaims as c')
    .innerJoin('chainReceipts as r', (join) => join.onRef('r.caip2', '=', 'c.caip2').onRef('r.reference', '=', 'c.reference'))
    .select(['c.caip2', 'c.reference', 'c.purpose', 'c.payer', 'c.priceMicros', 'r.network'])
    .where((claim) => ('payer' in of ? claim('c.payer', '=', of.payer) : claim('c.subjectId', '=', of.subjectId)))
    .execute();
  return rows as ClaimOfTransfer[];
}
