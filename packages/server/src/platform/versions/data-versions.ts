/**
 * How often committed transactions changed each public table (migration 0029). Read the versions first and the data afterwards: the answer
 * stays valid as long as the versions stay the same.
 */
import type pg from 'pg';
import { shareRead } from '../db/share-reads.ts';

/** Tables behind public answers, which count their changes. */
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

/** The versions at one moment. */
export interface DataVersions {
  /** Changes when the database restarts or is restored; counts of different epochs cannot be compared. */
  readonly epoch: string;
  /** The number of changes of these tables. A later moment never has fewer. */
  changesOf(tables: readonly VersionedTable[]): number;
}

export interface VersionReader {
  /** Reads the versions as of now. Concurrent calls share a statement. */
  read(): Promise<DataVersions>;
  /** Parses a text that `VERSIONS` returned. */
  parse(text: string): DataVersions;
}

const EPOCH = `extract(epoch from pg_postmaster_start_time())::text`;

/** An SQL expression of type text. Other statements can include it, which saves a round trip. */
export const VERSIONS = `(select ${EPOCH} || ' ' || string_agg(v.table_name || '=' || v.changes, ' ')
  from (select table_name, sum(changes) as changes from data_versions group by table_name) v)`;

/** Most reads find no change. Comparing the sum over all tables, which only grows, then takes a quarter of the work. */
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
  /** The epoch and the sum of all changes, as the database writes them. */
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
