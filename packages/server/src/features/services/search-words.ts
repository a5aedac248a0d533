/** Turns a search text into a word query: all words must occur; the last may be a prefix. */

/** All ASCII punctuation: texts are split there too, and no quote or operator of the query language is left. */
const PUNCTUATION = /[!-/:-@[-`{-~]+/g;

/** Text for `to_tsquery('simple', …)`, or undefined when there is no word to look for. */
export function wordQuery(search: string): string | undefined {
  const words = [...new Set(search.toLowerCase().replace(PUNCTUATION, ' ').split(/\s+/))].filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return undefined;
  return words.map((word, at) => (at === words.length - 1 ? `'${word}':*` : `'${word}'`)).join(' & ');
}
