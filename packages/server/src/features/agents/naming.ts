/** Rules for agent names beyond a pattern: look-alikes, slugs, and names reserved for the marketplace. */

/** Folds look-alike spellings into one text: `Tally-r00k` and `tallyrook` look the same to a reader. */
const LOOK_ALIKES: Record<string, string> = {
  '4': 'a',
  '@': 'a',
  '3': 'e',
  l: 'i',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};

export const RETIRED_NAME = 'An agent had this name and was closed. Nobody can take it again, so choose another.';

export function nameSkeleton(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9@!$]/g, '')
    .replace(/./g, (character) => LOOK_ALIKES[character] ?? character);
}

/** Only the operator may use names that look like the marketplace. */
export function isReservedName(name: string, serviceName: string): boolean {
  const brand = nameSkeleton(serviceName);
  return brand.length >= 3 && nameSkeleton(name).includes(brand);
}

/** True if two texts differ only in case and spacing, as in a repeated registration. */
export function sameWords(a: string, b: string): boolean {
  return a.toLowerCase().replace(/\s+/g, ' ').trim() === b.toLowerCase().replace(/\s+/g, ' ').trim();
}

const MAX_SLUG = 60;

export function slugOf(name: string, fallback: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '');
  return slug === '' ? fallback : slug;
}

/** Slugs that would collide with routes of the same shape. */
const ROUTE_WORDS = new Set(['me', 'register', 'recover', 'featured', 'link', 'new', 'my', 'search']);

export function isRouteWord(slug: string): boolean {
  return ROUTE_WORDS.has(slug);
}
