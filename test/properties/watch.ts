/** Sends requests to a market and keeps a list of everything that should not have happened. */
import assert from 'node:assert/strict';
import { errorCatalogue, type NamedOperation } from '@market/contract';
import type { Database } from '../../packages/server/src/platform/db/database.ts';
import type { TestMarket } from '../harness/market.ts';
import { type RawReply, type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import type { Cast } from './operation-request.ts';

/** Counters, queues, spent signatures, when a key was last used and what jobs read meanwhile may change with a refused request; nothing else may. */
const MAY_CHANGE = ['rate_limit_windows', 'spent_signatures', 'jobs', 'market_clock', 'agent_presence', 'treasury_readings'];
const MOST_REPORTED = 12;

export interface Watch {
  /** `must`: statuses of which one has to come. Without it any sound success or refusal will do. */
  send(title: string, request: RawRequest, must?: readonly number[]): Promise<RawReply>;
  /** Fails with everything that was seen. */
  report(): Promise<void>;
}

export async function watchOperation(market: TestMarket, operation: NamedOperation, cast: Cast): Promise<Watch> {
  const faults: string[] = [];
  let sent = 0;
  let last: RawReply | undefined;
  const fingerprint = await prepareFingerprint(market.database);
  const reads = operation.spec.effects.kind === 'read';
  let content = await fingerprint();

  async function findChange(reply: RawReply): Promise<string[]> {
    const before = content;
    content = await fingerprint();
    return content !== before && (reads || reply.status >= 400) ? ['the database changed'] : [];
  }

  return {
    async send(title, request, must) {
      sent += 1;
      const reply = await sendRaw(market.url, request);
      const found = faultsOfAnswer(operation, reply);
      // Reads are many and all alike: for them it is enough to look once, at the end.
      if (!reads) found.push(...(await findChange(reply)));
      last = reply;
      const right = must === undefined || !must.includes(400) ? must : [...must, ...strangerStatuses(operation)];
      if (right !== undefined && !right.includes(reply.status)) found.push(`status ${reply.status} instead of ${right.join(' or ')}`);
      if (found.length > 0) faults.push(`${operation.name}, ${title}: ${found.join('; ')}`);
      const renewed: unknown = reply.body['data']?.api_key;
      if (operation.spec.access.accepts.includes('api_key') && /^market_[0-9a-f]{48}$/.test(String(renewed))) cast.key = String(renewed);
      return reply;
    },
    async report() {
      assert.ok(last !== undefined, 'nothing was sent');
      faults.push(...(await findChange(last)));
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined, 'the prototype of all objects was changed');
      assert.deepEqual(faults.slice(0, MOST_REPORTED), [], `${faults.length} of ${sent} answers were unsound`);
    },
  };
}

/** Nothing when this is a complete success or a complete refusal, and not a failure of ours. */
export function faultsOfAnswer(operation: NamedOperation, reply: RawReply): string[] {
  const { status, headers, body } = reply;
  if (status >= 200 && status < 300)
    return isWhole(operation, body) && headers.get('x-request-id') !== null ? [] : ['a success without its envelope or X-Request-Id'];
  if (status < 400) return [`status ${status}`];
  const isFailure = status >= 500 && !isDeclaredOutage(operation, reply);
  return [...faultsOfRefusal(reply), ...(isFailure ? [`status ${status}`] : [])];
}

/** In its envelope, or the document itself where others have fixed its shape. */
function isWhole({ spec: { output } }: NamedOperation, body: RawReply['body']): boolean {
  return output.bare === true ? output.data.safeParse(body).success : body['success'] === true;
}

/** A part that this operation says may be missing from a service, which is not a fault of the request's handling. */
function isDeclaredOutage({ spec }: NamedOperation, { body }: RawReply): boolean {
  const code = body['code'] as keyof typeof errorCatalogue;
  return (spec.errors ?? []).includes(code) && errorCatalogue[code].kind === 'unavailable';
}

/** One row per table: how many rows it holds and the newest transaction that wrote one, which tells every insert, update and delete. */
async function prepareFingerprint({ pool }: Database): Promise<() => Promise<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> all($1)`,
    [MAY_CHANGE],
  );
  const parts = rows.map(({ name }) => `select '${name}', count(*)::int, max(xmin::text::bigint)::text from ${name}`);
  const text = parts.join(' union all ');
  return async () => {
    const client = await pool.connect();
    try {
      // Over so many tables PostgreSQL would plan parallel workers: slower, and the rows come in any order.
      await client.query('begin; set local max_parallel_workers_per_gather = 0; set local jit = off');
      const { rows } = await client.query({ name: 'fingerprint', text });
      await client.query('commit');
      return JSON.stringify(rows);
    } finally {
      client.release();
    }
  };
}

/** Whoever sends nonsense about somebody else's order, agent or service, or about none, learns that first. */
function strangerStatuses({ spec }: NamedOperation): readonly number[] {
  return spec.rest.path.includes('{id}') && spec.effects.kind !== 'read' ? [403, 404] : [];
}
