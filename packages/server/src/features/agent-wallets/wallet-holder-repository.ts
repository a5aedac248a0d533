/** The SQL that compares an agent's wallet with its chain. */
import type { AgentId, NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { KnownOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Db } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { openStates } from '../outgoing/index.ts';
import type { MovementRow } from './repository.ts';

export interface HeldWallet {
  readonly agentId: AgentId;
  readonly network: NetworkName;
  readonly address: string;
}

/** Sends in the books with these transactions. One transaction may hold sends of several wallets. */
export async function listKnownSends(db: Db, holder: string, references: readonly string[]): Promise<readonly KnownOutgoing[]> {
  if (references.length === 0) return [];
  const list = sql.val([...references]);
  const { rows } = await sql<KnownOutgoing>`
    select a.reference, a.intent_id as "intentId", null as "intentKey" from outgoing_attempts a join wallet_movements m on m.id = a.intent_id
      where a.reference = any(${list}::text[])
    union select reference, id, null from wallet_movements where reference = any(${list}::text[])
    union select reference, null, intent_key from found_outflows where holder = ${holder} and reference = any(${list}::text[])`.execute(db);
  return rows;
}

/** Open movements for which these books signed something. In state `queued`, all signed bytes have expired. */
export async function listBegunMovements(
  db: Db,
  { agentId, network, address }: HeldWallet,
): Promise<readonly Pick<MovementRow, 'id' | 'state' | 'destination'>[]> {
  return await db
    .selectFrom('walletMovements as m')
    .select(['m.id', 'm.state', 'm.destination'])
    .where('m.agentId', '=', agentId)
    .where('m.network', '=', network)
    .where('m.wallet', '=', address)
    .where('m.state', 'in', [...openStates])
    .where(({ exists, selectFrom }) => exists(selectFrom('outgoingAttempts as a').select('a.number').whereRef('a.intentId', '=', 'm.id')))
    .execute();
}

/** Number of transactions that the account sent as far as its native sends show: the highest signed account nonce plus one. */
export async function readSentCount(db: Db, { agentId, network, address }: HeldWallet): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select coalesce(max(a.validity::bigint) + 1, 0)::bigint as count from outgoing_attempts a join wallet_movements m on m.id = a.intent_id
    where m.agent_id = ${agentId} and m.network = ${network} and m.wallet = ${address} and m.asset = 'native'`.execute(db);
  return rows[0]?.count ?? 0n;
}

/** Signed USDC transfers with account nonces from `from` up to, but without, `to`. The account is the wallet or a sponsor. */
export async function listSignedUnder(
  db: Db,
  { agentId, network, address }: HeldWallet,
  from: bigint,
  to: bigint,
): Promise<readonly { readonly bytes: string; readonly nonce: bigint }[]> {
  const { rows } = await sql<{ bytes: string; nonce: bigint }>`
    select a.signed_bytes as bytes, a.validity::bigint as nonce from outgoing_attempts a join wallet_movements m on m.id = a.intent_id
    where m.agent_id = ${agentId} and m.network = ${network} and m.wallet = ${address} and m.asset = 'usdc'
      and a.validity::bigint >= ${from} and a.validity::bigint < ${to}`.execute(db);
  return rows;
}

/** True if something left this wallet, on any network of its kind, that no movement of these books explains. */
export async function hasUnexplained(db: Db, address: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from found_outflows where split_part(holder, '/', 2) = ${address} and taken_by is null limit 1`.execute(db);
  return rows.length > 0;
}

/** True if the key of this wallet was exported, so the owner has it, too. */
export async function hasExportedKey(db: Db, agentId: AgentId, kind: WalletKind): Promise<boolean> {
  const row = await db
    .selectFrom('walletLog')
    .select('id')
    .where('agentId', '=', agentId)
    .where('action', '=', 'key_exported')
    .where('network', kind === 'solana' ? '=' : '<>', 'solana-mainnet')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** True if a native transfer without an intent name was found after that time. Nobody can tell which movement it was. */
export async function hasUnnamedSince(db: Db, holder: string, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('foundOutflows')
    .select('reference')
    .where('holder', '=', holder)
    .where('asset', '=', 'native')
    .where('intentKey', 'is', null)
    .where('foundAt', '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
