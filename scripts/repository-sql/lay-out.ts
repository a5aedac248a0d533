/** Breaks a statement into lines by its clauses, so that a change shows as a changed line. */
const CLAUSE =
  /^ (?:from|where|(?:left |inner |cross |right )?join(?: lateral)?|order by|group by|having|limit|values|set|returning|on conflict|union(?: all)?|for update|for share) /i;
const ITEM = /^(?:, | and | or | when )/i;
const MOST_LETTERS = 120;

export function layOut(statement: string): string {
  return cut(onOneLine(statement), (rest, before) => CLAUSE.test(rest) && !/\b(?:delete|distinct)$/i.test(before))
    .flatMap((line) => (line.length > MOST_LETTERS ? cut(line, (rest) => ITEM.test(rest)) : [line]))
    .map((line) => (ITEM.test(line) ? `  ${line.trim()}` : line.trim()))
    .join('\n');
}

/** Removes line breaks and comments, which are not part of the statement. */
function onOneLine(text: string): string {
  return text
    .replace(/^\s*--.*$/gm, '')
    .trim()
    .split(/('(?:[^']|'')*')/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/\s+/g, ' ')))
    .join('');
}

/** Cuts before each position that `isCut` accepts, outside brackets and quotes. */
function cut(text: string, isCut: (rest: string, before: string) => boolean): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    else if (depth === 0 && at > start && (letter === ' ' || letter === ',') && isCut(text.slice(at, at + 24), text.slice(start, at))) {
      parts.push(text.slice(start, at));
      start = at;
    }
  }
  return [...parts, text.slice(start)];
}
