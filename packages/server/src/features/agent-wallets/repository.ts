/** The SQL of movements: intents, signed attempts, reserved and used amounts. Every change of state names the states it may start from. */
import type { AgentId, NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { WalletMovementsTable } from '../../platform/db/schema.generated.ts';
import { type IntentChange, moveIntent } from '../outgoing/index.ts';

export type MovementRow = Omit<Selectable<WalletMovementsTable>, 'network'> & { readonly network: NetworkName };
export const movementPurposes = [
  'send',
  'withdraw',
  'token_launch',
  'said_identity',
  'agent_registration',
  'earn_deposit',
] as const satisfies readonly MovementRow['purpose'][];
type MovementState = MovementRow['state'];

type NewMovement = Pick<MovementRow, 'id' | 'agentId' | 'purpose' | 'network' | 'wallet' | 'destination' | 'asset' | 'amount'> &
  Partial<Pick<MovementRow, 'notSentBefore'>>;

export async function insertMovement(tx: Tx, { agentId, wallet: payer, notSentBefore = false, ...intent }: NewMovement): Promise<void> {
  await tx
    .with('intent', (db) => db.insertInto('outgoingIntents').values({ ...intent, payer, subjectId: intent.id }))
    .insertInto('agentMovements')
    .values({ id: intent.id, agentId, notSentBefore })
    .execute();
}

export async function findMovement(db: Db, id: string): Promise<MovementRow | undefined> {
  return (await db.selectFrom('walletMovements').selectAll().where('id', '=', id).executeTakeFirst()) as MovementRow | undefined;
}

/** Serialises new movements of one agent, so that two cannot spend the same balance or daily limit. */
export async function lockWallets(tx: Tx, agentId: AgentId): Promise<void> {
  await tx.selectFrom('agentWallets').select('address').where('agentId', '=', agentId).orderBy('kind').forUpdate().execute();
}

export interface WalletUse {
  /** Amount of open movements, and of those that may have landed after the balance was read. */
  readonly reserved: bigint;
  /** USDC that left all wallets of the agent within the last day. */
  readonly dayMicros: bigint;
  /** Native coin of this network that left within the last day. */
  readonly dayNative: bigint;
}

/** The open movements at a moment before a balance is read. The balance shows those that ended before; all others are subtracted from it. */
export interface BalanceMark {
  readonly open: readonly string[];
  /** Id of the newest log entry. Movements queued later have higher ids. */
  readonly lastLog: bigint;
}

export async function readBalanceMark(db: Db, agentId: AgentId): Promise<BalanceMark> {
  const { rows } = await sql<BalanceMark>`
    select coalesce(array_agg(id) filter (where state in ('queued', 'signed', 'sent', 'unknown')), '{}') as open,
      coalesce((select max(l.id) from wallet_log l where l.agent_id = ${agentId}), 0)::bigint as "lastLog"
    from wallet_movements where agent_id = ${agentId}`.execute(db);
  return rows[0] ?? { open: [], lastLog: 0n };
}

export async function readWalletUse(
  db: Db,
  { agentId, network, asset }: Pick<MovementRow, 'agentId' | 'network' | 'asset'>,
  { open, lastLog }: BalanceMark = { open: [], lastLog: 0n },
): Promise<WalletUse> {
  const { rows } = await sql<WalletUse>`
    select coalesce(sum(amount) filter (where network = ${network} and asset = ${asset}
        and (state in ('queued', 'signed', 'sent', 'unknown') or id = any(${sql.val([...open])}::text[])
          or exists (select 1 from wallet_log l where l.movement_id = wallet_movements.id and l.id > ${lastLog}))), 0)::bigint as reserved,
      coalesce(sum(amount) filter (where asset = 'usdc' and created_at > market_now() - interval '1 day'), 0)::bigint as "dayMicros",
      coalesce(sum(amount) filter (where asset = 'native' and network = ${network} and created_at > market_now() - interval '1 day'), 0)::bigint
        as "dayNative"
    from wallet_movements where agent_id = ${agentId} and state <> 'failed'`.execute(db);
  return rows[0] ?? { reserved: 0n, dayMicros: 0n, dayNative: 0n };
}

/** Rent that treasury and sponsor paid for token accounts within the last day, counted as the limits of outflow do. */
export async function readAccountCosts(
  db: Db,
  { network, destination }: Pick<MovementRow, 'network' | 'destination'>,
): Promise<{ readonly dayLamports: bigint; readonly dayAccounts: number }> {
  const { rows } = await sql<{ dayLamports: bigint; dayAccounts: number }>`
    select coalesce(sum(lamports), 0)::bigint as "dayLamports",
      (count(*) filter (where network = ${network} and destination = ${destination}))::int as "dayAccounts"
    from (
      select a.rent_lamports as lamports, coalesce(m.network, p.network) as network, coalesce(m.destination, p.destination) as destination
      from outgoing_attempts a left join wallet_movements m on m.id = a.intent_id left join payouts p on p.id = a.intent_id
      where a.created_at > market_now() - interval '1 day' and a.state <> 'expired' and a.rent_lamports > 0) opened`.execute(db);
  return rows[0] ?? { dayLamports: 0n, dayAccounts: 0 };
}

/** Compare-and-set; false when the movement is no longer in a state of `from`. */
export async function moveMovement(
  tx: Tx,
  id: string,
  from: readonly MovementState[],
  { frontedNative, ...to }: IntentChange & { readonly state: MovementState; readonly frontedNative?: bigint | null },
): Promise<boolean> {
  if (!(await moveIntent(tx, id, from, to))) return false;
  if (frontedNative !== undefined) await tx.updateTable('agentMovements').set({ frontedNative }).where('id', '=', id).execute();
  return true;
}
