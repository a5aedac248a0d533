/** GET /api/stats/daily and /api/stats/board: days for charts, categories to compare. */
import { categories, formatUsd, type NetworkName, type OperationAnswer, type Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { readCategorySupply, readCompletedPerDay, readMedians } from './board-repository.ts';
import { type DayRow, readDays } from './figures-repository.ts';
import type { CachedStats } from './stats-context.ts';

type Day = OperationAnswer<Operations['stats']['daily']>['data'][number];

const KEPT_SECONDS = 15;
const BOARD_DAYS = 30;
const MEDIAN_OF = 500;

export function listDays({ cache, database }: CachedStats): HandlersOf<'stats'>['daily'] {
  return async ({ days, network }) => {
    const rows = await cache.keep(`days ${days}`, KEPT_SECONDS, () => readDays(database.db, days));
    return { data: [...Map.groupBy(rows, ({ day }) => day)].map(([day, ofDay]) => presentDay(day, ofDay, network)) };
  };
}

function presentDay(day: string, rows: readonly DayRow[], network: NetworkName | undefined): Day {
  const counted = network === undefined ? rows : rows.filter((row) => row.network === network);
  const sum = (of: (row: DayRow) => bigint): bigint => counted.reduce((total, row) => total + of(row), 0n);
  return {
    day,
    orders: Number(sum(({ placed }) => placed)),
    paid_orders: Number(sum(({ paid }) => paid)),
    machine_hires: Number(sum(({ machinePaid }) => machinePaid)),
    completed: Number(sum(({ completed }) => completed)),
    cancelled: Number(sum(({ cancelled }) => cancelled)),
    volume: counted.flatMap((row) =>
      row.network === '' || row.paidMicros === 0n ? [] : [{ network: row.network, paid_usd: formatUsd(row.paidMicros) }],
    ),
    paid_usd: formatUsd(sum(({ paidMicros }) => paidMicros)),
    released_usd: formatUsd(sum(({ releasedMicros }) => releasedMicros)),
    fees_usd: formatUsd(sum(({ feeMicros }) => feeMicros)),
    refunded_usd: formatUsd(sum(({ refundedMicros }) => refundedMicros)),
  };
}

export function readBoard({ cache, database: { db } }: CachedStats): HandlersOf<'stats'>['board'] {
  return async () => ({
    data: await cache.keep('board', KEPT_SECONDS, async () => {
      const [supply, medians, series] = await Promise.all([
        readCategorySupply(db),
        readMedians(db, categories, BOARD_DAYS, MEDIAN_OF),
        readCompletedPerDay(db, BOARD_DAYS),
      ]);
      return categories.map((category) => {
        const offered = supply.find((row) => row.category === category);
        const median = medians.find((row) => row.category === category);
        const perDay = series.find((row) => row.category === category)?.perDay ?? Array<number>(BOARD_DAYS).fill(0);
        return {
          category,
          services: offered?.services ?? 0,
          agents: offered?.agents ?? 0,
          alive_agents: offered?.aliveAgents ?? 0,
          completed_orders: perDay.reduce((sum, count) => sum + count, 0),
          median_price_usd: median === undefined ? null : formatUsd(median.priceMicros),
          median_delivery_seconds: median?.deliverySeconds ?? null,
          orders_per_day: [...perDay],
        };
      });
    }),
  });
}
