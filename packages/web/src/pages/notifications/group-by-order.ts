/** Notifications about one order stand together, at the place of the newest. One that stands for several orders stands alone. Pure. */

interface Grouped {
  readonly id: string;
  readonly order_id: string | null;
  /** How many it stands for. */
  readonly count: number;
}

export interface NotificationGroup<N extends Grouped> {
  readonly newest: N;
  /** Older ones about the same order, newest first. */
  readonly earlier: readonly N[];
}

/** The order that it is about alone. */
export function orderOf<O extends string | null>({ order_id, count }: { readonly order_id: O; readonly count: number }): O | null {
  return count === 1 ? order_id : null;
}

export function groupByOrder<N extends Grouped>(notifications: readonly N[]): readonly NotificationGroup<N>[] {
  const groups = Map.groupBy(notifications, (notification) => orderOf(notification) ?? notification.id);
  return [...groups.values()].flatMap(([newest, ...earlier]) => (newest === undefined ? [] : [{ newest, earlier }]));
}
