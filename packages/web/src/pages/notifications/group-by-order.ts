/** Groups notifications about one order, at the position of the newest. A notification about several orders stays alone. Pure. */

interface Grouped {
  readonly id: string;
  readonly order_id: string | null;
  /** The number of events that this notification covers. */
  readonly count: number;
}

export interface NotificationGroup<N extends Grouped> {
  readonly newest: N;
  /** Older notifications about the same order, newest first. */
  readonly earlier: readonly N[];
}

/** The order, if the notification covers only that one. */
export function orderOf<O extends string | null>({ order_id, count }: { readonly order_id: O; readonly count: number }): O | null {
  return count === 1 ? order_id : null;
}

export function groupByOrder<N extends Grouped>(notifications: readonly N[]): readonly NotificationGroup<N>[] {
  const groups = Map.groupBy(notifications, (notification) => orderOf(notification) ?? notification.id);
  return [...groups.values()].flatMap(([newest, ...earlier]) => (newest === undefined ? [] : [{ newest, earlier }]));
}
