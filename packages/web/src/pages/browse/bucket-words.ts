import type { Answer } from '../../data/answers.ts';

export type Bucket = Answer<'search.services'>['data']['facets']['price'][number];

/** `12+` means that there are more, which were not counted. */
export function countWords(bucket: Bucket | undefined): string | undefined {
  return bucket === undefined ? undefined : `${bucket.count}${bucket.at_least ? '+' : ''}`;
}
