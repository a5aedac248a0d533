/** The SQL of redemptions found on chain that no withdrawal explains. `amount` holds the unexplained units. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { insertFound } from '../outgoing/gate/index.ts';
import type { VaultSetting } from './earn-context.ts';

export interface FoundRedeem {
  readonly reference: string;
  readonly intentKey: string;
  /** Still unexplained. */
  readonly units: bigint;
  readonly foundAt: Date;
}

/** The vault's name in the outflow gate. It never changes. */
export const vaultHolderName = (vaultKey: string): string => `earn/${vaultKey}`;

export async function insertFoundRedeem(
  tx: Tx,
  { key, network }: VaultSetting,
  { reference, intentKey, units }: Omit<FoundRedeem, 'foundAt'>,
): Promise<void> {
  // `native` stands for the vault's own units.
  const found = { holder: vaultHolderName(key), network, reference, position: 0, intentKey, asset: 'native', destination: null } as const;
  await insertFound(tx, { ...found, amount: units }, null);
}

export async function listFoundRedeems(db: Db, vaultKey: string): Promise<FoundRedeem[]> {
  const rows = await db
    .selectFrom('foundOutflows')
    .select(['reference', 'intentKey', 'amount', 'foundAt'])
    .where('holder', '=', vaultHolderName(vaultKey))
    .where('takenBy', 'is', null)
    .orderBy('foundAt')
    .orderBy('reference')
    .execute();
  return rows.map(({ reference, intentKey, amount, foundAt }) => ({
    reference,
    intentKey: intentKey ?? '',
    units: BigInt(amount),
    foundAt,
  }));
}

/** Writes the units that stay unexplained. With none left, the redemption belongs to the withdrawal. */
export async function explainRedeem(tx: Tx, vaultKey: string, reference: string, left: bigint, withdrawalId: string): Promise<void> {
  await tx
    .updateTable('foundOutflows')
    .set({ amount: left, takenBy: left === 0n ? withdrawalId : null })
    .where('holder', '=', vaultHolderName(vaultKey))
    .where('reference', '=', reference)
    .where('takenBy', 'is', null)
    .execute();
}

/** References that the books know: from an attempt, or found before. */
export async function findKnownRedeems(db: Db, vaultKey: string, references: readonly string[]): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  const list = sql.val([...references]);
  const { rows } = await sql<{ reference: string }>`
    select a.reference from outgoing_attempts a join earn_intents i on i.id = a.intent_id where a.reference = any(${list}::text[])
    union select reference from found_outflows where holder = ${vaultHolderName(vaultKey)} and reference = any(${list}::text[])`.execute(
    db,
  );
  return new Set(rows.map(({ reference }) => reference));
}
