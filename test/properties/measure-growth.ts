/** Measures whether a regular expression takes more than linear time on a text built against it. */

export interface Growth {
  readonly pump: string;
  readonly shortMs: number;
  readonly longMs: number;
}

const SHORT = 1_000;
const LONG = 8_000;
/** Linear time grows 8 times from SHORT to LONG, quadratic time 64 times. */
const STEEP = 28;
/** A shorter run cannot be compared with others. */
const MEASURABLE_MS = 4;
/** A pattern that needs this long for so short a text is exponential. */
const TINY = 22;
const TINY_PATIENCE_MS = 10;

/** The worst growth found, or undefined when no text made the pattern slower than linear. */
export function findSteepGrowth(pattern: RegExp): Growth | undefined {
  const texts = pumpsOf(pattern).flatMap((pump) => beginningsOf(pattern).flatMap((begin) => ENDINGS.map((end) => ({ begin, pump, end }))));
  for (const text of texts) {
    const growth = growthOn(pattern, text);
    if (growth !== undefined) return growth;
  }
  return undefined;
}

interface HostileText {
  readonly begin: string;
  readonly pump: string;
  readonly end: string;
}

function growthOn(pattern: RegExp, { begin, pump, end }: HostileText): Growth | undefined {
  const text = (length: number) => `${begin}${pump.repeat(Math.ceil(length / pump.length))}${end}`;
  const tinyMs = timeOf(pattern, text(TINY));
  if (tinyMs > TINY_PATIENCE_MS && timeOf(pattern, text(TINY)) > TINY_PATIENCE_MS) return { pump, shortMs: 0, longMs: tinyMs };
  const long = text(LONG);
  if (timeOf(pattern, long) < MEASURABLE_MS) return undefined;
  // The fastest of several runs, because other work on the machine only slows runs down.
  const fastest = (subject: string, runs: number) => Math.min(...Array.from({ length: runs }, () => timeOf(pattern, subject)));
  const longMs = fastest(long, 4);
  if (longMs < MEASURABLE_MS) return undefined;
  const shortMs = fastest(text(SHORT), 12);
  return longMs > STEEP * shortMs ? { pump, shortMs, longMs } : undefined;
}

function timeOf(pattern: RegExp, text: string): number {
  const started = performance.now();
  if (pattern.global) text.replace(pattern, '');
  else {
    pattern.lastIndex = 0;
    pattern.test(text);
  }
  return performance.now() - started;
}

const ENDINGS = ['', '\u0001'];

/** The pattern's own characters make it backtrack; a few others stand for its character classes. */
function alphabetOf({ source, flags }: RegExp): string[] {
  const written = [...source.replace(/\\[a-zA-Z]|\(\?[<:=!]+|[()[\]{}|?*+^$]/g, '')].filter((character) => character !== '\\');
  const classes = ['a', 'A', '0', ' ', '-', '.'];
  const unicode = flags.includes('u') || flags.includes('v') ? ['é'] : [];
  return [...new Set([...classes, ...unicode, ...written.slice(0, 60)])].slice(0, 14);
}

function pumpsOf(pattern: RegExp): string[] {
  const alphabet = [...alphabetOf(pattern), '\n', '\\', '"'];
  return [...alphabet, ...alphabet.flatMap((one) => alphabet.slice(0, 8).map((other) => `${one}${other}`))];
}

/** Some patterns begin with literal text before the part that repeats. */
function beginningsOf({ source }: RegExp): string[] {
  const literal = /^\^?((?:[^\\()[\]{}|?*+^$.]|\\[^a-zA-Z])+)/.exec(source)?.[1]?.replaceAll('\\', '');
  return literal === undefined ? [''] : ['', literal];
}
