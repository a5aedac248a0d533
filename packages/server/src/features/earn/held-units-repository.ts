/** The SQL behind `compare-units.ts`. */
import { heldBy } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { VaultSetting } from './earn-context.ts';
import { vaultHolderName } from './found-redeem-repository.ts';

interface OpenCall {
  readonly id: string;
  readonly kind: 'deposit' | 'redeem';
  readonly router: string;
  /** These books signed it, not lost ones. */
  readonly signed: boolean;
}

/** The book of a vault and the calls that may move its units, read in one statement. */
export interface BookedUnits {
  readonly units: bigint;
  readonly unitsMissing: bigint;
  readonly version: bigint;
  readonly open: readonly OpenCall[];
  /** Redeemed by lost books for an unknown owner. A deposit may explain it. */
  readonly foundUnits: bigint;
  readonly at: Date;
}

export async function readBookedUnits(db: Db, { key }: Pick<VaultSetting, 'key'>): Promise<BookedUnits | undefined> {
  const { rows } = await sql<
    Record<'shares' | 'total' | 'queued' | 'unvested' | 'missing' | 'version' | 'found', string> & {
      readonly open: readonly OpenCall[] | null;
      readonly at: Date;
    }
  >`
    select v.total_shares::text as shares, v.total_units::text as total, v.queued_units::text as queued, v.unvested_units::text as unvested,
      v.units_missing::text as missing, v.version::text as version, market_now() as at,
      (select jsonb_agg(jsonb_build_object('id', i.id, 'kind', i.kind, 'router', i.router,
          'signed', exists (select 1 from outgoing_attempts a where a.intent_id = i.id))) from earn_intents i
        where i.vault_key = v.key and i.kind <> 'allow' and i.state in ('queued', 'signed', 'sent', 'unknown')) as open,
      (select coalesce(sum(amount), 0) from found_outflows where holder = ${vaultHolderName(key)} and taken_by is null)::text as found
    from earn_vaults v where v.key = ${key}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const [totalUnits, queuedUnits, unvestedUnits] = [BigInt(row.total), BigInt(row.queued), BigInt(row.unvested)];
  return {
    units: heldBy({ totalShares: BigInt(row.shares), totalUnits, queuedUnits, unvestedUnits }),
    ...{ unitsMissing: BigInt(row.missing), foundUnits: BigInt(row.found), version: BigInt(row.version), open: row.open ?? [], at: row.at },
  };
}

/** True if a call was signed after `readBookedUnits`: the chain may show units that it moved. */
export async function wasSignedSince(db: Db, { key }: Pick<VaultSetting, 'key'>, { open, at }: BookedUnits): Promise<boolean> {
  const { rows } = await sql`
    select 1 from earn_intents i join outgoing_attempts a on a.intent_id = i.id
    where i.vault_key = ${key} and i.kind <> 'allow' and not i.id = any(${sql.val(open.map(({ id }) => id))}::text[])
      and i.state in ('signed', 'sent', 'unknown', 'confirmed') and a.created_at >= ${at} limit 1`.execute(db);
  return rows.length > 0;
}
