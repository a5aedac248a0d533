/** Turns a search text into a word query: all words must occur; the last may be a prefix. */

/** All ASCII punctuation: texts are split there too, and no quote or operator of the query language is left. */
const PUNCTUATION = /[!-/:-@[-`{-~]+/g;

export function wordsOf(search: string): string[] {
  return [...new Set(search.toLowerCase().replace(PUNCTUATION, ' ').split(/\s+/))].filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Text for `to_tsquery('simple', …)`, or undefined when there is no word to look for. A word may also be read as similar ones. */
export function wordQuery(search: string, similar: ReadonlyMap<string, readonly string[]> = new Map()): string | undefined {
  const words = wordsOf(search);
  if (words.length === 0) return undefined;
  return words
    .map((word, at) => {
      const own = at === words.length - 1 ? `'${word}':*` : `'${word}'`;
      const others = (similar.get(word) ?? []).map((other) => `'${other}'`);
      return others.length === 0 ? own : `(${[own, ...others].join(' | ')})`;
    })
    .join(' & ');
}

/** The same query with its last word whole. It finds some of the matches, and the index reads a whole word in half the time of a prefix. */
export function wholeWords(words: string): string {
  return words.replaceAll(':*', '');
}
