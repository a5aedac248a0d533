/** Round steps from zero to just above the highest value. `leastStep` 1 for counts, which have no fractions. */
export function axisOf(highest: number, leastStep = 0): { readonly top: number; readonly ticks: readonly number[] } {
  const reach = Math.max(highest, leastStep) || 1;
  const wanted = reach / 4;
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= Math.max(wanted, leastStep)) ?? leastStep;
  const count = Math.ceil(reach / step);
  return { top: step * count, ticks: Array.from({ length: count }, (_, index) => step * (index + 1)) };
}
