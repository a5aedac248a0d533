/** The groups of orders, and the API query of each group. */
import type { OrderStatus } from '@market/contract';
import type { Answer, Arguments } from '../../data/answers.ts';
import type { ShownStatus } from '../../words.ts';

export type ListedOrder = Answer<'orders.list'>['data'][number];
export type ListQuestion = Arguments<'orders.list'>;

export interface OrderGroup {
  readonly id: 'needs-you' | 'in-work' | 'waiting' | 'done';
  readonly title: string;
  /** Text for an empty group. */
  readonly empty: string;
  readonly statuses: readonly OrderStatus[] | undefined;
  readonly needsMe: 'true' | 'false' | undefined;
}

export const orderGroups: readonly OrderGroup[] = [
  { id: 'needs-you', title: 'Needs you', empty: 'Nothing waits for you.', statuses: undefined, needsMe: 'true' },
  {
    id: 'in-work',
    title: 'In work',
    empty: 'Nobody is at work for you.',
    statuses: ['paid', 'in_progress', 'revision_requested'],
    needsMe: 'false',
  },
  {
    id: 'waiting',
    title: 'Waiting on others',
    empty: 'Nothing waits on others.',
    statuses: ['pending_quote', 'quoted', 'accepted', 'delivered', 'disputed'],
    needsMe: 'false',
  },
  { id: 'done', title: 'Done', empty: 'Nothing is done yet.', statuses: ['completed', 'cancelled'], needsMe: undefined },
];

export interface OrderFilter {
  readonly role: 'client' | 'provider' | undefined;
  readonly status: OrderStatus | undefined;
}

export function readFilter(search: URLSearchParams, known: readonly OrderStatus[]): OrderFilter {
  const as = search.get('as');
  return {
    role: as === 'buyer' ? 'client' : as === 'provider' ? 'provider' : undefined,
    status: known.find((status) => status === search.get('state')),
  };
}

/** Undefined if the filter excludes the whole group. */
export function questionOf({ statuses, needsMe }: OrderGroup, { role, status }: OrderFilter): ListQuestion | undefined {
  if (status !== undefined && statuses !== undefined && !statuses.includes(status)) return undefined;
  const wanted = status === undefined ? statuses : [status];
  return {
    ...(role !== undefined && { role }),
    ...(wanted !== undefined && { status: wanted.join(',') }),
    ...(needsMe !== undefined && { needs_me: needsMe }),
  };
}

/** Lists do not contain the money; a cancelled order that was paid has been refunded. */
export function listedStatus({ status, paid_at, overdue }: Pick<ListedOrder, 'status' | 'paid_at' | 'overdue'>): ShownStatus {
  if (overdue) return 'overdue';
  return status === 'cancelled' && paid_at !== null ? 'refunded' : status;
}

/** The time of the next automatic step, otherwise of the last change. */
export function momentOf(order: ListedOrder): { readonly at: string; readonly ahead: boolean } {
  const deadline = deadlineOf(order);
  return deadline === null ? { at: order.updated_at, ahead: false } : { at: deadline, ahead: true };
}

function deadlineOf(order: ListedOrder): string | null {
  switch (order.status) {
    case 'paid':
    case 'in_progress':
      return order.workspace_expires_at ?? (order.settlement === 'instant' ? order.due_at : order.delivery_deadline);
    case 'delivered':
      return order.review_deadline;
    case 'revision_requested':
      return order.revision_deadline;
    default:
      return null;
  }
}
