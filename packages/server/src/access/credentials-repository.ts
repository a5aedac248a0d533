/** The SQL behind credentials: keys, linked wallets, sessions, spent signatures, bans. */
import type { WalletChain } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { shareReads } from '../platform/db/share-reads.ts';
import { type AgentCaller, asLinked, type UserCaller } from './caller.ts';
import { readNetworks } from './proven-networks.ts';

/** Finds the agent of a key. Also reads the bans of its owner and of the client address, which saves a round trip per call. */
export async function findAgentByKey(db: Db, hashes: readonly Buffer[], address: string | null): Promise<AgentCaller | undefined> {
  const found = await findKeyHolder(db, { hashes: hashes.map((hash) => `\\x${hash.toString('hex')}`), address });
  if (found === undefined) return undefined;
  const { banned, ...agent } = found;
  return { ...agent, ...(address !== null && { ban: { address, banned } }) };
}

interface ShownKey {
  readonly hashes: readonly string[];
  readonly address: string | null;
}

type KeyHolder = Omit<AgentCaller, 'ban'> & { readonly banned: boolean };

/** Concurrent callers share a statement; those with the same key and address also share its row. */
const findKeyHolder = shareReads<ShownKey, KeyHolder | undefined>(async (db, shown) => {
  const distinct = [...new Map(shown.map((key) => [JSON.stringify(key), key]))];
  const asked = distinct.map(([, key], n) => ({ n, ...key }));
  const { rows } = await sql<KeyHolder & { readonly n: number }>`
    select asked.n, id, name, active, owner_wallet as "recordedOwnerWallet", owner_user_id as "ownerUserId",
           case when owner_proven then owner_wallet end as "ownerWallet", api_key_hash <> all(asked.hashes) as "keyRetired",
           exists (select 1 from banned_identities b where b.kind = 'ip' and b.value = asked.address)
             or is_person_banned(owner_user_id, owner_wallet) as banned
    from json_to_recordset(${JSON.stringify(asked)}::json) as asked (n int, hashes bytea[], address text)
    join agents on api_key_hash = any(asked.hashes) or retired_key_hash = any(asked.hashes)`.execute(db);
  const holders = new Map(rows.map(({ n, ...holder }) => [distinct[n]?.[0], holder]));
  return shown.map((key) => holders.get(JSON.stringify(key)));
});

export async function listLinks(db: Db, userId: string): Promise<Pick<UserCaller, 'wallets' | 'contracts'>> {
  const rows = await db.selectFrom('userWallets').select(['address', 'provenOn']).where('userId', '=', userId).execute();
  return asLinked(rows.map(({ address, provenOn }) => ({ address, provenOn: readNetworks(provenOn) })));
}

export interface StoredSession {
  readonly wallet: string;
  readonly chain: WalletChain;
  /** For a session of a contract wallet: the networks where the wallet was proven. */
  readonly provenOn: string[] | null;
  readonly byAction: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function findSession(db: Db, tokenHash: Buffer, now: Date): Promise<StoredSession | undefined> {
  return await db
    .selectFrom('sessions')
    .select(['wallet', 'chain', 'provenOn', 'byAction', 'createdAt', 'expiresAt'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function insertSession(db: Db, session: StoredSession & { readonly tokenHash: Buffer }): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

export async function extendSession(db: Db, tokenHash: Buffer, expiresAt: Date): Promise<void> {
  await db.updateTable('sessions').set({ expiresAt }).where('tokenHash', '=', tokenHash).execute();
}

export async function deleteSession(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('tokenHash', '=', tokenHash).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteSessionsOf(db: Db, chain: WalletChain, wallet: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('chain', '=', chain).where('wallet', '=', wallet).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes all sessions. Returns how many had not expired. */
export async function deleteAllSessions(tx: Tx): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    with ended as (delete from sessions returning expires_at)
    select count(*) filter (where expires_at > market_now())::int as live from ended`.execute(tx);
  return rows[0]?.live ?? 0;
}

/** Marks the signature as used. Returns false when it was used before. */
export async function spendSignature(db: Db, signature: { digest: Buffer; wallet: string; expiresAt: Date }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spentSignatures')
    .values(signature)
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function releaseSignature(db: Db, digest: Buffer): Promise<void> {
  await db.deleteFrom('spentSignatures').where('digest', '=', digest).execute();
}

export type BanKind = 'idp' | 'email' | 'twitter' | 'wallet' | 'ip';

export interface BannableIdentity {
  readonly kind: BanKind;
  readonly value: string;
}

/** An account, a wallet, or both of one person. */
export interface BannablePerson {
  readonly userId: string | null;
  readonly wallet: string | null;
}

/** Whether one of the identities is banned, or any known identity of one of the people. */
export async function isBanned(db: Db, identities: readonly BannableIdentity[], people: readonly BannablePerson[]): Promise<boolean> {
  const { rows } = await sql<{ banned: boolean }>`
    select exists (
      select 1 from unnest(${identities.map((i) => i.kind)}::text[], ${identities.map((i) => i.value)}::text[]) as i (kind, value)
      where exists (select 1 from banned_identities b where b.kind = i.kind and b.value = i.value offset 0))
    or exists (
      select 1 from unnest(${people.map((p) => p.userId)}::text[], ${people.map((p) => p.wallet)}::text[]) as p (user_id, wallet)
      where is_person_banned(p.user_id, p.wallet)) as banned`.execute(db);
  return rows[0]?.banned === true;
}
