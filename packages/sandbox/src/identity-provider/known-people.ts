// Remembers a bounded number of people between sign-ins.

import type { Person } from './person.ts';

const MAX_PEOPLE = 10_000;

export interface KnownPeople {
  /** Given fields replace known ones; omitted fields keep their earlier values. */
  remember(person: Person): Person;
}

export function createKnownPeople(): KnownPeople {
  const byEmail = new Map<string, Person>();
  return {
    remember(person) {
      const merged = { ...byEmail.get(person.email), ...person };
      byEmail.delete(person.email); // set again at the end, so that the person unseen for longest comes first
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
