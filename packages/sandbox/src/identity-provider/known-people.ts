// The provider's memory of people between sign-ins, for a bounded number of them.

import type { Person } from './person.ts';

const MAX_PEOPLE = 10_000;

export interface KnownPeople {
  /** Fields given now replace the known ones; fields left out keep what was said earlier. */
  remember(person: Person): Person;
}

export function createKnownPeople(): KnownPeople {
  const byEmail = new Map<string, Person>();
  return {
    remember(person) {
      const merged = { ...byEmail.get(person.email), ...person };
      byEmail.delete(person.email); // set again at the end, so that the longest unseen is first
      byEmail.set(person.email, merged);
      if (byEmail.size > MAX_PEOPLE) {
        for (const longestUnseen of byEmail.keys()) {
          byEmail.delete(longestUnseen);
          break;
        }
      }
      return merged;
    },
  };
}
