// Reads TypeScript well enough to find imports and names in code: it blanks comments, strings and patterns, and keeps positions.

export interface SourceImport {
  readonly specifier: string;
  readonly line: number;
  /** `import(…)` */
  readonly isLazy: boolean;
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const TEXT = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const WORD = /[\w$]+/y;
/** Words after which a slash begins a pattern; after any other word or a closing bracket it divides. */
const WORDS_BEFORE_PATTERN = /^(?:return|typeof|case|in|of|delete|void|throw|new|instanceof|await|yield|else|do)$/;

/** The regular expression literals of a source, with their lines. */
export function listPatterns(source: string): { readonly literal: string; readonly line: number }[] {
  const found: { literal: string; line: number }[] = [];
  blankNonCode(source, (literal, position) => found.push({ literal, line: lineAt(source, position) }));
  return found;
}

/** Blanks everything that is not code. Quotes stay, so that strings can still be located. */
export function blankNonCode(source: string, onPattern: (literal: string, position: number) => void = () => undefined): string {
  let code = '';
  let position = 0;
  let previous = '';
  const openTemplates: number[] = []; // for each enclosing template, the number of open braces in its current placeholder

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    return pattern.exec(source)?.[0];
  };
  const take = (text: string, shown = text.replace(/[^\n]/g, ' ')): void => {
    code += shown;
    position += text.length;
  };
  const takeTemplatePart = (): void => {
    take(match(TEMPLATE_PART) ?? '');
    if (source.startsWith('${', position)) openTemplates.push(0);
    take(source.slice(position, position + (source[position] === '$' ? 2 : 1)));
    previous = openTemplates.length > 0 && source[position - 1] === '{' ? '(' : ')';
  };

  while (position < source.length) {
    const character = source[position] ?? '';
    const comment = match(COMMENT);
    const text = match(TEXT);
    const word = match(WORD);
    if (comment !== undefined) {
      take(comment);
    } else if (text !== undefined) {
      take(text, text.slice(0, 1) + text.slice(1, -1).replace(/[^\n]/g, ' ') + text.slice(-1));
      previous = ')';
    } else if (character === '`') {
      take(character);
      takeTemplatePart();
    } else if (character === '}' && openTemplates.at(-1) === 0) {
      openTemplates.pop();
      take(character);
      takeTemplatePart();
    } else if (character === '/' && mayBeginPattern(previous) && match(PATTERN) !== undefined) {
      const literal = match(PATTERN) ?? character;
      onPattern(literal, position);
      take(literal);
      previous = ')';
    } else if (word !== undefined) {
      take(word, word);
      previous = word;
    } else {
      const depth = openTemplates.length - 1;
      if (depth >= 0 && character === '{') openTemplates[depth] = (openTemplates[depth] ?? 0) + 1;
      if (depth >= 0 && character === '}') openTemplates[depth] = (openTemplates[depth] ?? 0) - 1;
      take(character, character);
      if (character.trim() !== '') previous = character;
    }
  }
  return code;
}

const IMPORT = /(?<![\w$.])(?:(?:import|export)\b[^'"`;()]*?\bfrom\s*|import\s*\(?\s*)(['"])/g;

export function listImports(source: string, code = blankNonCode(source)): SourceImport[] {
  return [...code.matchAll(IMPORT)].map((found) => {
    const start = found.index + found[0].length;
    const end = code.indexOf(found[1] ?? '', start);
    return { specifier: source.slice(start, end), line: lineAt(source, found.index), isLazy: /^import\s*\(/.test(found[0]) };
  });
}

export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}

function mayBeginPattern(previous: string): boolean {
  return WORDS_BEFORE_PATTERN.test(previous) || !/[\w$)\]}]$/.test(previous);
}
