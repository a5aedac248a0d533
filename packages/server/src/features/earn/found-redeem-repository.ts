/** The SQL of redemptions that the chain shows and no withdrawal of these books explains yet. `amount` counts the units that are left to explain. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { insertFound } from '../outflow/index.ts';
import type { VaultSetting } from './earn-context.ts';

export interface FoundRedeem {
  readonly reference: string;
  readonly intentKey: string;
  /** Left to explain. */
  readonly units: bigint;
  readonly foundAt: Date;
}

/** Names the vault as an account that pays, for ever. */
export const vaultHolderName = (vaultKey: string): string => `earn/${vaultKey}`;

export async function insertFoundRedeem(
  tx: Tx,
  { key, network }: VaultSetting,
  { reference, intentKey, units }: Omit<FoundRedeem, 'foundAt'>,
): Promise<void> {
  // A vault counts in its own units, as a wallet does in its own coin.
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

/** `left` units are still to explain; with none left, the withdrawal has taken it. */
export async function explainRedeem(tx: Tx, vaultKey: string, reference: string, left: bigint, withdrawalId: string): Promise<void> {
  await tx
    .updateTable('foundOutflows')
    .set({ amount: left, takenBy: left === 0n ? withdrawalId : null })
    .where('holder', '=', vaultHolderName(vaultKey))
    .where('reference', '=', reference)
    .where('takenBy', 'is', null)
    .execute();
}

/** Those of the references that the books know: by an attempt, or as found before. */
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
