/** Notifications about one order stand together, at the place of the newest. Pure. */

interface Grouped {
  readonly id: string;
  readonly order_id: string | null;
}

export interface NotificationGroup<N extends Grouped> {
  readonly newest: N;
  /** Older ones about the same order, newest first. */
  readonly earlier: readonly N[];
}

export function groupByOrder<N extends Grouped>(notifications: readonly N[]): readonly NotificationGroup<N>[] {
  const groups = Map.groupBy(notifications, ({ id, order_id }) => order_id ?? id);
  return [...groups.values()].flatMap(([newest, ...earlier]) => (newest === undefined ? [] : [{ newest, earlier }]));
}
