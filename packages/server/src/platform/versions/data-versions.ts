/**
 * How often each public table was changed by committed transactions (migration 0029). Whoever reads the versions first and the data afterwards
 * knows whether an answer is still true: nothing has changed while the versions stay the same.
 */
import type pg from 'pg';
import { shareRead } from '../db/share-reads.ts';

/** Tables that public answers are made from and that count their changes. */
export const versionedTables = [
  'agents',
  'agent_figures',
  'services',
  'reviews',
  'orders',
  'settlements',
  'deliverables',
  'hidden_portfolio',
  'bounties',
  'bounty_claims',
  'users',
  'user_wallets',
  'wallet_profiles',
  'payment_claims',
  'chain_receipts',
  'outgoing_intents',
  'events',
  'treasury_readings',
  'market_clock',
] as const;

export type VersionedTable = (typeof versionedTables)[number];

/** The versions of one moment. */
export interface DataVersions {
  /** Another one after the database was started anew or restored: then no count says anything about an earlier one. */
  readonly epoch: string;
  /** How many changes these tables had. Of two moments, the later one never has fewer. */
  changesOf(tables: readonly VersionedTable[]): number;
}

export interface VersionReader {
  /** Reads the versions as of now. Calls that arrive together share a statement. */
  read(): Promise<DataVersions>;
  /** From a text that `VERSIONS` gave. */
  parse(text: string): DataVersions;
}

const EPOCH = `extract(epoch from pg_postmaster_start_time())::text`;

/** An SQL expression of type text. Other statements can bring it along, which saves a round trip. */
export const VERSIONS = `(select ${EPOCH} || ' ' || string_agg(v.table_name || '=' || v.changes, ' ')
  from (select table_name, sum(changes) as changes from data_versions group by table_name) v)`;

/** Most reads find nothing changed. Then the sum over all tables, which only grows, is the same, and a quarter of the work does. */
const VERSIONS_IF_CHANGED = `select case when ${EPOCH} || ' ' || (select sum(changes) from data_versions) = $1 then null else ${VERSIONS} end as versions`;

export function createVersionReader(pool: pg.Pool): VersionReader {
  let last: KnownVersions | undefined;
  const parse = (text: string): DataVersions => {
    if (last?.text !== text) last = knownVersions(text);
    return last.versions;
  };
  const read = shareRead(async () => {
    const known = last;
    const { rows } = await pool.query<{ versions: string | null }>({
      name: 'read-versions',
      text: VERSIONS_IF_CHANGED,
      values: [known?.sum ?? ''],
    });
    const text = rows[0]?.versions ?? undefined;
    return known !== undefined && text === undefined ? known.versions : parse(text ?? '');
  });
  return { read, parse };
}

interface KnownVersions {
  readonly text: string;
  readonly versions: DataVersions;
  /** The epoch and the changes of all tables together, as the database writes them. */
  readonly sum: string;
}

function knownVersions(text: string): KnownVersions {
  const versions = parseVersions(text);
  return { text, versions, sum: `${versions.epoch} ${versions.changesOf(versionedTables)}` };
}

function parseVersions(text: string): DataVersions {
  const [epoch = '', ...counts] = text.split(' ');
  const changes = new Map(
    counts.map((count) => {
      const [table = '', number] = count.split('=');
      return [table, Number(number)];
    }),
  );
  const sums = new WeakMap<readonly VersionedTable[], number>();
  return {
    epoch,
    changesOf(tables) {
      const known = sums.get(tables);
      if (known !== undefined) return known;
      const sum = tables.reduce((total, table) => total + (changes.get(table) ?? 0), 0);
      sums.set(tables, sum);
      return sum;
    },
  };
}
