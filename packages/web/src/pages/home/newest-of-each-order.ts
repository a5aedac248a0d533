/** Keeps the newest event of each order: an order that is paid and then delivered appears once. */
export function newestOfEachOrder<E extends { readonly id: string; readonly order_id: string | null }>(events: readonly E[]): readonly E[] {
  const seen = new Set<string>();
  return events.filter(({ order_id, id }) => {
    const about = order_id ?? id;
    if (seen.has(about)) return false;
    seen.add(about);
    return true;
  });
}
