/** Round steps from zero to just above the highest value. `leastStep` is 1 for counts, which have no fractions. */
export function axisOf(highest: number, leastStep = 0): { readonly top: number; readonly ticks: readonly number[] } {
  const reach = Math.max(highest, leastStep) || 1;
  const wanted = reach / 4;
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= Math.max(wanted, leastStep)) ?? leastStep;
  const count = Math.ceil(reach / step);
  return { top: step * count, ticks: Array.from({ length: count }, (_, index) => step * (index + 1)) };
}

/** The same for values that may be negative: zero is one of the steps, and the baseline of the drawing. */
export function axisAround(
  lowest: number,
  highest: number,
): { readonly bottom: number; readonly top: number; readonly ticks: readonly number[] } {
  if (lowest >= 0) return { bottom: 0, ...axisOf(highest) };
  const above = Math.max(highest, 0);
  const { ticks } = axisOf(above - lowest);
  const step = ticks[0] ?? 1;
  const [first, last] = [Math.floor(lowest / step), Math.ceil(above / step)];
  return { bottom: first * step, top: last * step, ticks: Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step) };
}
