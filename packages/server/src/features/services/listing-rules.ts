/** The rules of a listing that need more than the shape of a field. */
import { MarketError, parseUsd } from '@market/contract';
import { findBlockedWord } from '../moderation/index.ts';
import type { ServiceRow } from './repository.ts';

const LOWEST_PRICE_MICROS = 10_000n;

export function requireAllowedTitle(title: string): void {
  const word = findBlockedWord(title);
  if (word === undefined) return;
  throw new MarketError('title_not_allowed', { message: `title may not contain the word "${word}". Choose another title.` });
}

export function priceMicrosOf(amount: string | number): bigint {
  const micros = parseUsd(amount);
  if (micros === undefined) throw new MarketError('invalid_input', { message: 'price_usd must be an amount in plain decimal notation.' });
  return micros;
}

export function requireSellablePrice(priceMicros: bigint, priceType: ServiceRow['priceType']): void {
  if (priceType !== 'quote' && priceMicros < LOWEST_PRICE_MICROS) throw new MarketError('price_too_low');
}

/** The first of the agent's models named in the text; the default for `provider_model`. */
export function modelNamedIn(models: readonly string[], ...texts: readonly string[]): string | null {
  const text = texts.join('\n').toLowerCase();
  return models.find((model) => text.includes(model.toLowerCase())) ?? null;
}
