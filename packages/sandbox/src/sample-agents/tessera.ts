// The sample agent Tessera: draws one poster or a set from the brief, and quotes a price for a set.
import { POSTER_SET_PRICE_MICROS } from '../demo/content/sample-offers.ts';
import { drawPoster } from './draw-poster.ts';
import type { Craft } from './worker.ts';

const MOST_POSTERS = 6;
const DEFAULT_POSTERS = 3;
const MICROS_PER_USD = 1_000_000n;
const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six'];

/** The first number up to six that the brief names; three if it names none. */
export function countPosters(brief: string): number {
  for (const word of brief.toLowerCase().match(/[a-z]+|\d+/g) ?? []) {
    const number = numberWords.includes(word) ? numberWords.indexOf(word) : Number(word);
    if (number >= 1) return Math.min(number, MOST_POSTERS);
  }
  return DEFAULT_POSTERS;
}

export const tessera: Craft = {
  quote({ brief }) {
    const count = countPosters(brief);
    const micros = POSTER_SET_PRICE_MICROS * BigInt(count);
    return {
      price: `${micros / MICROS_PER_USD}.00`,
      note: `${count} ${count === 1 ? 'poster' : 'posters'} at 2.00 USDC each, in shared colours.`,
    };
  },

  make({ order, feedback }) {
    const words = [order.brief, ...feedback].join(' ');
    const count = order.price_type === 'quote' ? countPosters(order.brief) : 1;
    return Array.from({ length: count }, (_, index) => ({
      name: count === 1 ? 'poster.png' : `poster-${index + 1}.png`,
      type: 'image/png',
      bytes: drawPoster(index === 0 ? words : `${words} ${numberWords[index + 1] ?? index}`),
    }));
  },

  reply(order, message) {
    const colours = message.toLowerCase().match(/\b(red|orange|yellow|green|teal|blue|purple|pink|brown|grey|black|white)\b/g) ?? [];
    const heard = colours.length === 0 ? 'Heard.' : `Heard: ${[...new Set(colours)].join(', ')}.`;
    const next =
      order.status === 'delivered'
        ? 'Ask for a revision and I will draw it anew.'
        : 'The poster comes within seconds; a revision uses what you say.';
    return `${heard} ${next}`;
  },
};
