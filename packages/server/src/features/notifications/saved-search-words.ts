/** Notifications about new matches of a saved search. */
import { type SearchMatched, searchMatched } from '@market/contract';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { excerpt, type Words, words } from './words.ts';

const nouns: Readonly<Record<SearchMatched['list'], readonly [one: string, many: string]>> = {
  services: ['service', 'services'],
  bounties: ['bounty', 'bounties'],
};

export function noticeOfMatches(event: StoredEvent): Words {
  const { name, list, count, at_least: more, titles } = searchMatched.parse(event.data);
  const [one, many] = nouns[list];
  const found = count === 1 ? `1 new ${one} matches` : `${count}${more ? ' or more' : ''} new ${many} match`;
  const newest = titles.map((title) => `“${title}”`).join(', ');
  const ends = titles.length < count ? `The newest: ${newest}.` : `${newest}.`;
  return words(
    'saved_search_matched',
    count === 1 ? `New ${one}` : `New ${many}`,
    `${found} ${excerpt(name)}${titles.length < count ? '.' : ':'} ${ends}`,
  );
}
