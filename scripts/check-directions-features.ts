// Between features: only through the door, some know no other, and no circles.

import type { Arrow, Directions, Violation } from './check-directions-types.ts';

export function checkFeature(arrow: Arrow, directions: Directions): Violation[] {
  const between = readFeatureArrow(arrow, directions);
  if (between === undefined) return [];
  const { file, line } = arrow;
  const { from, to, door } = between;
  if (directions.features.knowingNone.includes(from)) {
    return [{ file, line, rule: 'feature-knows-none', detail: `${from} may not import ${to}: it reads events instead.` }];
  }
  if (door) return [];
  return [{ file, line, rule: 'feature-door', detail: `${from} may import ${to} only through its ${directions.features.door}.` }];
}

/** Each circle is reported once, at the import that closes it. */
export function findFeatureCircles(arrows: readonly Arrow[], directions: Directions): Violation[] {
  const graph = buildGraph(arrows, directions);
  const violations: Violation[] = [];
  const finished = new Set<string>();

  function visit(feature: string, path: readonly string[]): void {
    if (finished.has(feature)) return;
    for (const [next, { file, line }] of graph.get(feature) ?? []) {
      const start = path.indexOf(next);
      if (start === -1) visit(next, [...path, next]);
      else violations.push({ file, line, rule: 'feature-circle', detail: `${[...path.slice(start), next].join(' → ')}.` });
    }
    finished.add(feature);
  }

  for (const feature of [...graph.keys()].sort()) visit(feature, [feature]);
  return violations;
}

/** Feature → the features it imports, each with the first import that does. Tests are left out: they run after all is built. */
function buildGraph(arrows: readonly Arrow[], directions: Directions): Map<string, Map<string, Arrow>> {
  const graph = new Map<string, Map<string, Arrow>>();
  for (const arrow of arrows) {
    const between = directions.isTest(arrow.file) ? undefined : readFeatureArrow(arrow, directions);
    if (between === undefined) continue;
    const neighbours = graph.get(between.from) ?? new Map<string, Arrow>();
    graph.set(between.from, neighbours.set(between.to, neighbours.get(between.to) ?? arrow));
  }
  return graph;
}

/** Both ends of an import from one feature to another; undefined for all other imports. */
function readFeatureArrow({ file, target }: Arrow, { features }: Directions): { from: string; to: string; door: boolean } | undefined {
  if (!file.startsWith(features.folder) || !target?.startsWith(features.folder)) return undefined;
  const [from = ''] = file.slice(features.folder.length).split('/');
  const [to = '', ...rest] = target.slice(features.folder.length).split('/');
  return from === to ? undefined : { from, to, door: rest.join('/') === features.door };
}
