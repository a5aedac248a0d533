/** Counts the buckets of the board's filters. A bucket counts the bounties with its value that match all other filters. */
import { bountyStatuses, categories } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { type BountyFilters, readFilters } from './list-repository.ts';

interface Bucket {
  readonly value: string;
  readonly count: number;
}

export interface BountyFacets {
  readonly status: Bucket[];
  readonly category: Bucket[];
}

/** One pass over the bounties that match budget and words; statuses and categories are few. */
export async function countFacets(db: Db, filters: BountyFilters): Promise<BountyFacets> {
  const asked = readFilters(filters);
  const groups = asked === undefined ? [] : await countGroups(db, asked.others);
  const sum = (fits: (group: Group) => boolean): number => groups.filter(fits).reduce((total, { count }) => total + count, 0);
  return {
    status: bountyStatuses.map((value) => ({
      value,
      count: sum(({ status, category }) => status === value && (asked?.category === undefined || category === asked.category)),
    })),
    category: categories.map((value) => ({
      value,
      count: sum(({ status, category }) => category === value && asked?.statuses.some((one) => one === status) === true),
    })),
  };
}

interface Group {
  readonly status: string;
  readonly category: string;
  readonly count: number;
}

async function countGroups(db: Db, matching: NonNullable<ReturnType<typeof readFilters>>['others']): Promise<readonly Group[]> {
  const { rows } = await sql<Group>`
    select status, category, count(*)::int as count from bounties where ${matching} group by status, category`.execute(db);
  return rows;
}
