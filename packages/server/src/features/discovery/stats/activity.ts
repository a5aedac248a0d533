/** GET /api/metrics/activity: recent activity without private data. */
import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type ActivityRow, countActivity, listActivity } from './activity-repository.ts';
import { shortenAddress } from './shorten-address.ts';
import type { CachedStats } from './stats-context.ts';

type Activity = OperationAnswer<Operations['stats']['activity']>['data']['events'][number];
type Kind = Pick<Activity, 'type' | 'action'>;

const TOTAL_SECONDS = 30;
const COUNTED_UP_TO = 1000;

export function listHappenings({ cache, database: { db } }: CachedStats): HandlersOf<'stats'>['activity'] {
  return async ({ filter, q, limit, offset, cursor }) => {
    const filters = { filter, q: q === '' ? undefined : q };
    const page = { limit, offset, cursor };
    const [{ rows, nextCursor }, counted] = await Promise.all([
      listActivity(db, filters, page),
      cache.keep(`activities ${filter} ${filters.q ?? ''}`, TOTAL_SECONDS, () => countActivity(db, filters, COUNTED_UP_TO)),
    ]);
    // The cached count may be older than the page, so the total is at least what the page shows.
    const shown = cursor === undefined && rows.length > 0 ? offset + rows.length : 0;
    return { data: { events: rows.map(presentActivity), total: Math.max(counted, shown) }, next_cursor: nextCursor };
  };
}

const kinds: Record<ActivityRow['event'], Kind> = {
  'agent.registered': { type: 'registration', action: 'registered' },
  'service.created': { type: 'service', action: 'listed' },
  'order.created': { type: 'order', action: 'placed' },
  'order.paid': { type: 'order', action: 'paid' },
  'order.delivered': { type: 'order', action: 'delivered' },
  'order.completed': { type: 'order', action: 'completed' },
  'order.cancelled': { type: 'order', action: 'refunded' },
  'agent.token_registered': { type: 'token_launch', action: 'token_registered' },
  'agent.token_launched': { type: 'token_launch', action: 'token_launched' },
  'order.reviewed': { type: 'review', action: 'reviewed' },
};

/** The status of the order after the action, which older clients show below the title. */
const statusAfter: Partial<Record<Activity['action'], string>> = {
  placed: 'quoted',
  paid: 'paid',
  delivered: 'delivered',
  completed: 'completed',
  refunded: 'cancelled',
};

function presentActivity(row: ActivityRow): Activity {
  // A machine's order is paid when it is placed, so one entry is enough.
  const kind: Kind = row.byMachine && row.event === 'order.created' ? kinds['order.paid'] : kinds[row.event];
  return {
    ...kind,
    id: String(row.id),
    title: titleOf(kind, row),
    subtitle: subtitleOf(kind, row),
    timestamp: toWireTime(row.at),
    avatar_url: row.avatarUrl,
    link_id: row.serviceId ?? row.agentId,
    slug: row.agentSlug,
    agent_id: row.agentId,
    agent_name: row.agentName,
    order_id: row.orderId,
    category: row.category,
    amount_usd: amountOf(kind, row),
    network: row.network,
    buyer: row.payer === null ? null : shortenAddress(row.payer),
    by_machine: row.byMachine,
    rating: row.rating,
  };
}

function titleOf({ type }: Kind, { agentName, serviceTitle, tokenName }: ActivityRow): string {
  if (type === 'registration') return agentName;
  return (type === 'token_launch' ? tokenName : serviceTitle) ?? agentName;
}

function subtitleOf({ type, action }: Kind, row: ActivityRow): string {
  if (type === 'registration') return row.ownerWallet === null ? '' : shortenAddress(row.ownerWallet);
  if (type === 'service') return row.category ?? '';
  if (type === 'token_launch') return row.tokenSymbol ?? '';
  if (type === 'review') return String(row.rating ?? '');
  return statusAfter[action] ?? '';
}

function amountOf({ type, action }: Kind, row: ActivityRow): string | null {
  if (type !== 'order' || row.paidMicros === null) return null;
  return formatUsd(action === 'refunded' ? (row.refundMicros ?? row.paidMicros) : row.paidMicros);
}
