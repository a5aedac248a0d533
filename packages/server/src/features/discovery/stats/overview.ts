/** GET /api/platform-stats and /api/metrics: the marketplace in numbers. */
import { formatUsd, type OperationAnswer, type Operations, type OrderStatus, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import {
  countUnderWay,
  listBusiestAgents,
  readAllTime,
  readCreatorFeeLamports,
  readLastDay,
  readLastDays,
  readMonths,
  readRankings,
  readSupply,
  type Totals,
} from './figures-repository.ts';
import type { CachedStats } from './stats-context.ts';
import { listReadings } from './treasury-repository.ts';

type Stats = OperationAnswer<Operations['stats']['platform']>['data'];
type StatusCounts = Stats['orders_by_status'];

const FRESH_SECONDS = 5;
/** Counting all services is slow, and new ones may appear late. */
const SUPPLY_SECONDS = 30;
const TOP_AGENTS = 5;

/** Statuses that older clients count as orders: paid, not cancelled, not in dispute. */
const countedStatuses: readonly OrderStatus[] = ['paid', 'in_progress', 'delivered', 'completed', 'revision_requested'];
const inWorkStatuses: readonly OrderStatus[] = ['paid', 'in_progress', 'revision_requested'];

const SOL = 'So11111111111111111111111111111111111111112';

/** Creator fees from trading of agents' tokens. Without a price source the price of SOL is 0. */
async function readCreatorFees({
  database,
  prices,
  log,
}: CachedStats): Promise<{ creatorFeeSol: number; creatorFeeUsd: number; solPrice: number }> {
  const orNone = (error: unknown) => {
    log.info({ err: error }, 'SOL has no price at the moment');
    return undefined;
  };
  const [lamports, found] = await Promise.all([readCreatorFeeLamports(database.db), prices?.read([SOL]).catch(orNone)]);
  const solPrice = found?.get(SOL)?.priceUsd ?? 0;
  const creatorFeeSol = Number(lamports) / 1e9;
  return { creatorFeeSol, creatorFeeUsd: Math.round(creatorFeeSol * solPrice * 100) / 100, solPrice };
}

export function readPlatformStats(context: CachedStats): HandlersOf<'stats'>['platform'] {
  const { database, cache, clock } = context;
  return async () => ({
    data: await cache.keep('platform', FRESH_SECONDS, async () => {
      const { db } = database;
      const [all, day, month, open, readings, supply, creatorFees] = await Promise.all([
        readAllTime(db),
        readLastDay(db),
        readLastDays(db, 30),
        countUnderWay(db),
        listReadings(db),
        supplyOf(context),
        readCreatorFees(context),
      ]);
      const byStatus = statusCounts(open, all);
      const revenue = toNumber(all.feeMicros);
      return {
        marketAgents: supply.agents,
        orders: sumOf(byStatus, countedStatuses),
        users: supply.agents + supply.buyers,
        revenue,
        ...creatorFees,
        totalRevenueUsd: Math.round((revenue + creatorFees.creatorFeeUsd) * 100) / 100,
        x402Orders: Number(all.machinePaid),
        x402VolumeUsd: toNumber(all.machineMicros),
        x402FeesUsd: toNumber(all.machineFeeMicros),
        services: supply.services,
        orders_in_work: sumOf(byStatus, inWorkStatuses),
        orders_by_status: byStatus,
        held_usd: formatUsd(readings.reduce((sum, { heldMicros }) => sum + heldMicros, 0n)),
        last_24h: presentSpan(day, supply.newLastDay),
        last_30d: presentSpan(month, supply.newLast30Days),
        as_of: toWireTime(clock.now()),
      };
    }),
  });
}

export function readMetrics(context: CachedStats): HandlersOf<'stats'>['metrics'] {
  const { database, cache } = context;
  return async () => ({
    data: await cache.keep('metrics', SUPPLY_SECONDS, async () => {
      const { db } = database;
      const [all, open, supply, rankings, agents, months, { creatorFeeSol, solPrice }] = await Promise.all([
        readAllTime(db),
        countUnderWay(db),
        supplyOf(context),
        readRankings(db),
        listBusiestAgents(db, TOP_AGENTS),
        readMonths(db),
        readCreatorFees(context),
      ]);
      const byStatus = statusCounts(open, all);
      return {
        totalRevenue: toNumber(all.feeMicros),
        totalGmv: toNumber(all.paidMicros - all.refundedMicros),
        creatorFeeSol,
        totalOrders: sumOf(byStatus, countedStatuses),
        ordersByStatus: byStatus,
        totalAgents: supply.agents,
        agentsWithTokens: {
          total: supply.tokens,
          pumpfun: supply.pumpfunTokens,
          partner: supply.partnerTokens,
          byot: supply.tokens - supply.pumpfunTokens - supply.partnerTokens,
        },
        servicesByCategory: rankings.byCategory,
        servicesByProvider: rankings.byProvider,
        servicesByModel: rankings.byModel,
        topAgentsByOrders: agents.map(({ id, slug, name, avatarUrl, completedOrders, rating }) => ({
          id,
          slug,
          name,
          avatar_url: avatarUrl,
          completed_orders: completedOrders,
          avg_rating: roundRating(rating),
        })),
        avgRating: roundRating(rankings.averageRating),
        ordersOverTime: [...months],
        solPrice,
      };
    }),
  });
}

function supplyOf({ cache, database }: CachedStats) {
  return cache.keep('supply', SUPPLY_SECONDS, () => readSupply(database.db));
}

function presentSpan(totals: Totals, newAgents: number): Stats['last_24h'] {
  return {
    orders: Number(totals.paid),
    volume_usd: formatUsd(totals.paidMicros),
    released_usd: formatUsd(totals.releasedMicros),
    refunded_usd: formatUsd(totals.refundedMicros),
    completed: Number(totals.completed),
    machine_hires: Number(totals.machinePaid),
    new_agents: newAgents,
  };
}

/** Counts of orders by status. Ended orders come from the daily figures, open ones from their current status. */
function statusCounts(open: readonly { status: OrderStatus; count: number }[], all: Totals): StatusCounts {
  const ended = { completed: Number(all.completed), cancelled: Number(all.cancelled) };
  return Object.fromEntries([...open.map(({ status, count }) => [status, count]), ...Object.entries(ended)]);
}

function sumOf(counts: StatusCounts, statuses: readonly OrderStatus[]): number {
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** Dollars as a JSON number, for fields of the earlier service. Never compute money from it. */
function toNumber(micros: bigint): number {
  return Math.round(Number(micros) / 10_000) / 100;
}

function roundRating(rating: number | null): number | null {
  return rating === null ? null : Math.round(rating * 100) / 100;
}
