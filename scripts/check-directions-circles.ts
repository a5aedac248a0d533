// Finds files that import each other in a circle, types included: such files cannot be understood separately.

import type { Arrow, Violation } from './check-directions-types.ts';

/** Reports each circle once, at the import of its alphabetically first file. */
export function findFileCircles(arrows: readonly Arrow[]): Violation[] {
  const arrowsOf = Map.groupBy(
    arrows.filter(({ target, isLazy }) => target !== undefined && !isLazy),
    ({ file }) => file,
  );
  const targetsOf = (file: string): string[] => (arrowsOf.get(file) ?? []).map(({ target }) => target ?? '');
  return findComponents([...arrowsOf.keys()], targetsOf).map((component) => {
    const files = component.sort();
    const first = arrowsOf.get(files[0] ?? '')?.find(({ target }) => files.includes(target ?? ''));
    return { file: files[0] ?? '', line: first?.line ?? 1, rule: 'file-circle', detail: `These import each other: ${files.join(', ')}.` };
  });
}

/** Strongly connected components of two files or more (Tarjan). */
function findComponents(files: readonly string[], targetsOf: (file: string) => readonly string[]): string[][] {
  const components: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const number = numbers.size;
    numbers.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const target of targetsOf(file)) {
      const reached = numbers.has(target) ? (open.includes(target) ? numbers.get(target) : undefined) : visit(target);
      if (reached !== undefined) lowest.set(file, Math.min(lowest.get(file) ?? number, reached));
    }
    const low = lowest.get(file) ?? number;
    if (low === number) {
      const component = open.splice(open.indexOf(file));
      if (component.length > 1) components.push(component);
    }
    return low;
  };
  for (const file of files) if (!numbers.has(file)) visit(file);
  return components;
}
