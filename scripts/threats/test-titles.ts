/** Finds tests and suites in TypeScript source without running it, so that titles built from templates stay readable. */
import { blankNonCode, lineAt } from '../check-directions-source.ts';

export interface TitledTest {
  readonly file: string;
  readonly line: number;
  /** The title as written, with unfilled placeholders of templates. */
  readonly title: string;
  /** Titles of the suites around the test, outermost first. */
  readonly suites: readonly string[];
}

interface Call {
  readonly isSuite: boolean;
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** Matches calls of tests and suites, but not `test.skip(` and `test.todo(`: a test that does not run defends nothing. */
const CALL = /(?<![\w$.])(?:(?:t|context|story)\.)?(?:test|it|describe|suite)\s*\(/g;
const SUITE = /^(?:describe|suite)\b/;
const QUOTED = /(['"])((?:(?!\1)[^\\\n]|\\[\s\S])*)\1/y;

export function listTests(file: string, source: string): TitledTest[] {
  const code = blankNonCode(source);
  const calls = [...code.matchAll(CALL)].map((found) => readCall(source, code, found));
  return calls
    .filter(({ isSuite }) => !isSuite)
    .map(({ title, start }) => {
      const around = calls.filter((other) => other.isSuite && other.start < start && start < other.end);
      return { file, line: lineAt(source, start), title, suites: around.map((suite) => suite.title) };
    });
}

function readCall(source: string, code: string, found: RegExpExecArray): Call {
  const opening = found.index + found[0].length - 1;
  return {
    isSuite: SUITE.test(found[0]),
    title: readLiteral(source, code, opening + 1) ?? '',
    start: found.index,
    end: endOfCall(code, opening),
  };
}

/** Reads the text of a literal as written; returns undefined when the title is a variable. */
function readLiteral(source: string, code: string, after: number): string | undefined {
  const position = after + source.slice(after).search(/\S/);
  if (source[position] === '`') return readTemplate(source, code, position);
  QUOTED.lastIndex = position;
  return QUOTED.exec(source)?.[2]?.replace(/\\(['"\\])/g, '$1');
}

function readTemplate(source: string, code: string, position: number): string {
  return source.slice(position + 1, endOfTemplate(source, code, position)).replace(/\\([`\\])/g, '$1');
}

function endOfTemplate(source: string, code: string, opening: number): number {
  let end = opening + 1;
  while (end < source.length && source[end] !== '`') {
    if (source[end] === '\\') end += 2;
    else end = source.startsWith('${', end) ? endOfHole(source, code, end + 2) + 1 : end + 1;
  }
  return end;
}

/** The end of a placeholder. In `code`, braces of code inside it are visible; the brace that ends it is blank. */
function endOfHole(source: string, code: string, position: number): number {
  let end = position;
  while (end < source.length && (source[end] !== '}' || code[end] !== ' ')) {
    end = source[end] === '`' ? endOfTemplate(source, code, end) + 1 : end + 1;
  }
  return end;
}

function endOfCall(code: string, opening: number): number {
  let depth = 0;
  for (let position = opening; position < code.length; position += 1) {
    if (code[position] === '(') depth += 1;
    if (code[position] === ')') depth -= 1;
    if (depth === 0) return position;
  }
  return code.length;
}
