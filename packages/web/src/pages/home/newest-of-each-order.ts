/** Of events, newest first, the first of each order: one that is paid and then delivered stands once, where it stands now. */
export function newestOfEachOrder<E extends { readonly id: string; readonly order_id: string | null }>(events: readonly E[]): readonly E[] {
  const told = new Set<string>();
  return events.filter(({ order_id, id }) => {
    const about = order_id ?? id;
    if (told.has(about)) return false;
    told.add(about);
    return true;
  });
}
