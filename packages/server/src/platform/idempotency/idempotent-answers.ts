/**
 * Answers stored for a day under a caller's Idempotency-Key. The first request takes a lease on the key. Its answer is stored in the
 * transaction that changes the state, so a retry after a crash finds either both or neither.
 */
import { randomUUID } from 'node:crypto';
import { type ErrorCode, MarketError } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { SealedColumn } from '../secrets/reseal.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** The answer of an operation as every transport gets it: `{ data, …extras }`. */
export interface StoredAnswer {
  readonly data: unknown;
  readonly [extra: string]: unknown;
}

export interface IdempotencyLease {
  /** Stores the answer; throws when the lease was lost, which rolls the change back. */
  keep(tx: Tx, answer: StoredAnswer): Promise<void>;
  /** Stores the answer of an effect that is already committed. No effect when the lease was lost: there is nothing to roll back. */
  keepLate(answer: StoredAnswer): Promise<void>;
  /** Stores a refusal in place of a provisional answer. No effect when the lease was lost. */
  keepRefusal(refusal: MarketError): Promise<void>;
  /** Forgets the key after a refusal: nothing changed, so the caller may correct the request. */
  release(): Promise<void>;
}

export type Begun = { readonly kind: 'run'; readonly lease: IdempotencyLease } | { readonly kind: 'replay'; readonly answer: StoredAnswer };

export interface IdempotentAnswers {
  /** The first hash is stored. A request under the same key counts as the same one if any of its hashes is stored. */
  begin(request: { scope: string; key: string; hashes: RequestHashes }): Promise<Begun>;
}

export type RequestHashes = readonly [Buffer, ...Buffer[]];

/** How long a key stays valid. */
export const KEY_HOURS = 24;
const LEASE_SECONDS = 60;

export function createIdempotentAnswers(db: Db, secrets: SecretBox): IdempotentAnswers {
  return {
    async begin({ scope, key, hashes }) {
      const token = randomUUID();
      const taken = await takeLease(db, { scope, key, hashes, token });
      if (taken) return { kind: 'run', lease: createLease(db, secrets, { scope, key, token }) };

      const row = await db.selectFrom('idempotencyKeys').selectAll().where('scope', '=', scope).where('key', '=', key).executeTakeFirst();
      if (row !== undefined && !hashes.some((hash) => row.requestHash.equals(hash))) throw new MarketError('idempotency_key_reused');
      if (row?.sealedAnswer == null) throw new MarketError('idempotency_in_flight', { retryAfterSeconds: 1 });
      const stored = JSON.parse(secrets.open(row.sealedAnswer, sealContext(scope, key))) as StoredAnswer | StoredRefusal;
      if (isRefusal(stored)) throw new MarketError(stored.refusal.code, stored.refusal);
      return { kind: 'replay', answer: row.status === null ? stored : withoutEnvelope(stored) };
    },
  };
}

/** Every answer has `data`, so a refusal cannot be taken for one. */
interface StoredRefusal {
  readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly data?: Record<string, unknown> };
}

function isRefusal(stored: StoredAnswer | StoredRefusal): stored is StoredRefusal {
  return 'refusal' in stored && !('data' in stored);
}

/** Versions before migration 0027 stored the REST answer: a status, and the answer in its envelope. Such keys expire after a day. */
function withoutEnvelope({ success: _success, ...answer }: StoredAnswer): StoredAnswer {
  return answer;
}

/** True when the key is new, has expired, or its first request died before it could answer. */
async function takeLease(db: Db, lease: { scope: string; key: string; hashes: RequestHashes; token: string }): Promise<boolean> {
  const { rows } = await sql<{ token: string }>`
    insert into idempotency_keys as k (scope, key, request_hash, lease_token, lease_until, expires_at)
    values (${lease.scope}, ${lease.key}, ${lease.hashes[0]}, ${lease.token},
            clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), market_now() + make_interval(hours => ${KEY_HOURS}))
    on conflict (scope, key) do update
      set request_hash = excluded.request_hash, lease_token = excluded.lease_token, lease_until = excluded.lease_until,
          expires_at = excluded.expires_at, status = null, sealed_answer = null
      where k.expires_at <= market_now()
         or (k.sealed_answer is null and k.lease_until <= clock_timestamp() and k.request_hash = any(${lease.hashes}::bytea[]))
    returning lease_token as token`.execute(db);
  return rows.length > 0;
}

function createLease(db: Db, secrets: SecretBox, { scope, key, token }: { scope: string; key: string; token: string }): IdempotencyLease {
  /** False when the lease was lost. */
  async function store(to: Db, content: StoredAnswer | StoredRefusal): Promise<boolean> {
    const { numUpdatedRows } = await to
      .updateTable('idempotencyKeys')
      .set({ sealedAnswer: secrets.seal(JSON.stringify(content), sealContext(scope, key)) })
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('leaseToken', '=', token)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  return {
    async keep(tx, answer) {
      if (!(await store(tx, answer))) throw new MarketError('idempotency_in_flight', { retryAfterSeconds: 1 });
    },
    async keepLate(answer) {
      await store(db, answer);
    },
    async keepRefusal({ code, message, data }) {
      await store(db, { refusal: { code, message, ...(data && { data }) } });
    },
    async release() {
      await db
        .deleteFrom('idempotencyKeys')
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('leaseToken', '=', token)
        .where('sealedAnswer', 'is', null)
        .execute();
    },
  };
}

/** The columns that contain those answers. */
export const sealedAnswerColumns: readonly SealedColumn[] = [
  {
    table: 'idempotency_keys',
    keys: ['scope', 'key'],
    column: 'sealed_answer',
    contextOf: ({ scope = '', key = '' }) => sealContext(scope, key),
  },
];

function sealContext(scope: string, key: string): string {
  return `idempotency_keys/${scope}/${key}`;
}

/** Deletes a stored answer by its `KeyedCall.name`: its scope, a space, and the key, which has no space. */
export async function forgetAnswer(tx: Tx, name: string): Promise<void> {
  const at = name.lastIndexOf(' ');
  await tx
    .deleteFrom('idempotencyKeys')
    .where('scope', '=', name.slice(0, at))
    .where('key', '=', name.slice(at + 1))
    .execute();
}
