// Checks imports between features and their rooms: only through `index.ts`, without circles; some features import no other.

import type { Arrow, Directions, Violation } from './check-directions-types.ts';

/** Rooms by path below the features' folder: each feature, and each folder of a feature with its own `index.ts`. */
export type Rooms = ReadonlySet<string>;

interface Between {
  readonly from: string;
  readonly to: string;
  readonly door: boolean;
}

/** `orders/index.ts` makes the room `orders`, `orders/disputes/index.ts` the room `orders/disputes`. */
export function findRooms(files: Iterable<string>, { features }: Directions): Rooms {
  const rooms = new Set<string>();
  for (const file of files) {
    if (!file.startsWith(features.folder)) continue;
    const parts = file.slice(features.folder.length).split('/');
    rooms.add(parts[0] ?? '');
    if (parts.length === 3 && parts[2] === features.door) rooms.add(`${parts[0]}/${parts[1]}`);
  }
  return rooms;
}

export function checkFeature(arrow: Arrow, rooms: Rooms, directions: Directions): Violation[] {
  const between = readRoomArrow(arrow, rooms, directions);
  if (between === undefined) return [];
  const { file, line } = arrow;
  const { from, to, door } = between;
  if (directions.features.knowingNone.includes(featureOf(from)) && featureOf(from) !== featureOf(to)) {
    return [{ file, line, rule: 'feature-knows-none', detail: `${from} may not import ${to}: it reads events instead.` }];
  }
  if (door) return [];
  return [{ file, line, rule: 'feature-door', detail: `${from} may import ${to} only through its ${directions.features.door}.` }];
}

/** Finds circles of features, and of rooms within a feature. Each is reported once, at the import that closes it. */
export function findFeatureCircles(arrows: readonly Arrow[], rooms: Rooms, directions: Directions): Violation[] {
  const between = arrows
    .filter(({ file }) => !directions.isTest(file))
    .flatMap((arrow) => {
      const ends = readRoomArrow(arrow, rooms, directions);
      return ends === undefined ? [] : [{ ...ends, arrow }];
    });
  const ofFeatures = between
    .map(({ from, to, arrow }) => ({ from: featureOf(from), to: featureOf(to), arrow }))
    .filter(({ from, to }) => from !== to);
  const withinFeatures = between.filter(({ from, to }) => featureOf(from) === featureOf(to));
  return [...findCircles(ofFeatures), ...findCircles(withinFeatures)];
}

function findCircles(between: readonly { from: string; to: string; arrow: Arrow }[]): Violation[] {
  const graph = new Map<string, Map<string, Arrow>>();
  for (const { from, to, arrow } of between) {
    const neighbours = graph.get(from) ?? new Map<string, Arrow>();
    graph.set(from, neighbours.set(to, neighbours.get(to) ?? arrow));
  }
  const violations: Violation[] = [];
  const finished = new Set<string>();

  function visit(room: string, path: readonly string[]): void {
    if (finished.has(room)) return;
    for (const [next, { file, line }] of graph.get(room) ?? []) {
      const start = path.indexOf(next);
      if (start === -1) visit(next, [...path, next]);
      else violations.push({ file, line, rule: 'feature-circle', detail: `${[...path.slice(start), next].join(' → ')}.` });
    }
    finished.add(room);
  }

  for (const room of [...graph.keys()].sort()) visit(room, [room]);
  return violations;
}

/** Returns both rooms of an import from one room to another; undefined for other imports. */
function readRoomArrow({ file, target }: Arrow, rooms: Rooms, { features }: Directions): Between | undefined {
  if (!file.startsWith(features.folder) || !target?.startsWith(features.folder)) return undefined;
  const from = roomOf(file.slice(features.folder.length), rooms);
  const to = roomOf(target.slice(features.folder.length), rooms);
  return from === to ? undefined : { from, to, door: target === `${features.folder}${to}/${features.door}` };
}

function roomOf(path: string, rooms: Rooms): string {
  const [feature = '', folder = ''] = path.split('/');
  const inner = `${feature}/${folder}`;
  return rooms.has(inner) ? inner : feature;
}

function featureOf(room: string): string {
  return room.split('/')[0] ?? '';
}
