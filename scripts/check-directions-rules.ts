// Applies the table of directions to a tree of sources.

import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { findFileCircles } from './check-directions-circles.ts';
import { checkFeature, findFeatureCircles, findRooms } from './check-directions-features.ts';
import { blankNonCode, lineAt, listImports } from './check-directions-source.ts';
import type { Arrow, Ban, Directions, SourceTree, Violation } from './check-directions-types.ts';

export function findViolations(tree: SourceTree, directions: Directions): { violations: Violation[]; imports: number; files: number } {
  const sources = [...tree].filter(([file]) => /\.tsx?$/.test(file));
  const rooms = findRooms(tree.keys(), directions);
  const violations: Violation[] = [];
  const arrows: Arrow[] = [];
  for (const [file, source] of sources) {
    const code = blankNonCode(source);
    violations.push(...checkPlace(file, directions), ...checkBannedCode(file, source, code, directions));
    for (const { specifier, line, isLazy } of listImports(source, code)) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
      arrows.push({ file, line, specifier, target, isLazy });
    }
  }
  for (const arrow of arrows) {
    const rules = [
      ...checkPackage(arrow, tree, directions),
      ...checkLayer(arrow, directions),
      ...checkGround(arrow, directions),
      ...checkFeature(arrow, rooms, directions),
    ];
    violations.push(...rules, ...checkBannedImport(arrow, directions));
  }
  violations.push(...findFeatureCircles(arrows, rooms, directions), ...findFileCircles(arrows));
  violations.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return { violations, imports: arrows.length, files: sources.length };
}

function refuse({ file, line }: { file: string; line: number }, rule: string, detail: string): Violation[] {
  return [{ file, line, rule, detail }];
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

function moduleOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function checkPackage(arrow: Arrow, tree: SourceTree, directions: Directions): Violation[] {
  const { file, specifier, target } = arrow;
  const from = packageOf(file);
  if (from === undefined) return []; // scripts and whole-system tests belong to no package and may import from all
  const rule = directions.packages[from];
  const isTest = directions.isTest(file);
  if (rule === undefined) return refuse(arrow, 'package-unknown', `${from} is not in the table of packages.`);
  if (target !== undefined) {
    const isDouble = target.startsWith(directions.testDoubles);
    if (isDouble && !isTest && !file.startsWith(directions.testDoubles)) {
      return refuse(arrow, 'test-double', `${specifier} is for tests. The product may not import it.`);
    }
    if (packageOf(target) === from || (isTest && target.startsWith(directions.testSupport))) return [];
    return refuse(arrow, 'package-by-relative-path', `${specifier} leaves the package. Import other packages by name.`);
  }
  if (specifier.startsWith(directions.scope)) {
    const to = moduleOf(specifier).slice(directions.scope.length);
    if (to === from || rule.packages.includes(to) || rule.entries.includes(specifier)) return [];
    return refuse(arrow, 'package-direction', `${from} may not import ${specifier}.`);
  }
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) {
    return rule.nodeBuiltins || isTest
      ? []
      : refuse(arrow, 'package-node-builtin', `${from} may not import ${specifier}: it also runs in browsers.`);
  }
  const allowed = [...(rule.npm === 'declared' ? listDependencies(tree, `packages/${from}/package.json`) : rule.npm)];
  if (isTest) allowed.push(...listDependencies(tree, 'package.json'));
  return allowed.includes(moduleOf(specifier))
    ? []
    : refuse(arrow, 'package-npm', `${from} may not import ${specifier}: not in its table or package.json.`);
}

/** The names in a manifest: dependencies, and its own aliases (`imports`). */
function listDependencies(tree: SourceTree, manifest: string): string[] {
  const fields = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies', 'imports'] as const;
  const parsed = JSON.parse(tree.get(manifest) ?? '{}') as Partial<Record<(typeof fields)[number], Record<string, string>>>;
  return fields.flatMap((field) => Object.keys(parsed[field] ?? {}));
}

function layerOf(path: string, { layers }: Directions): number {
  const inside = path.startsWith(layers.within) ? path.slice(layers.within.length) : '';
  return layers.order.findIndex(({ paths }) =>
    paths.some((place) => (place.endsWith('/') ? inside.startsWith(place) : isFileOrItsTest(inside, place))),
  );
}

function isFileOrItsTest(path: string, file: string): boolean {
  return path === file || path === file.replace(/\.ts$/, '.test.ts');
}

function checkPlace(file: string, directions: Directions): Violation[] {
  if (!file.startsWith(directions.layers.within) || layerOf(file, directions) !== -1) return [];
  return refuse({ file, line: 1 }, 'layer-unknown', 'This file is in no layer. Move it into one, or add its place to the table.');
}

function checkLayer(arrow: Arrow, directions: Directions): Violation[] {
  const from = layerOf(arrow.file, directions);
  const to = arrow.target === undefined ? -1 : layerOf(arrow.target, directions);
  if (from === -1 || to === -1 || to >= from) return [];
  const name = (layer: number) => directions.layers.order[layer]?.name;
  return refuse(arrow, 'layer-direction', `${name(from)} may not import ${name(to)} (${arrow.specifier}).`);
}

function checkGround(arrow: Arrow, { grounds }: Directions): Violation[] {
  const ground = grounds.find((folder) => arrow.file.startsWith(folder));
  if (ground === undefined || arrow.target === undefined || arrow.target.startsWith(ground)) return [];
  return refuse(arrow, 'ground-imports-nothing', `${arrow.specifier} leaves ${ground}, on which everything else builds.`);
}

function isBanned(file: string, ban: Ban): boolean {
  return file.startsWith(ban.within) && !ban.except.some((exception) => exception.test(file));
}

function checkBannedCode(file: string, source: string, code: string, { bans }: Directions): Violation[] {
  return bans
    .filter((ban) => isBanned(file, ban))
    .flatMap((ban) => [...findAll(code, ban.code), ...findAll(source, ban.text ?? [])].map((found) => ({ ban, found })))
    .flatMap(({ ban, found }) => refuse({ file, line: lineAt(source, found.index) }, ban.rule, `${found[0].trim()} is not allowed here.`));
}

function findAll(text: string, patterns: readonly RegExp[]): RegExpExecArray[] {
  return patterns.flatMap((pattern) => [...text.matchAll(new RegExp(pattern, 'g'))]);
}

function checkBannedImport(arrow: Arrow, { bans }: Directions): Violation[] {
  return bans
    .filter((ban) => isBanned(arrow.file, ban) && ban.imports.includes(moduleOf(arrow.specifier)))
    .flatMap((ban) => refuse(arrow, ban.rule, `${arrow.specifier} may not be imported here.`));
}
