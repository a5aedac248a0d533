/** How a connected program that lacks a scope learns which ones to ask its person for. */
import type { MarketError } from '@market/contract';

/** Where a result or an error holds what the header `WWW-Authenticate` says over HTTP. */
export const CHALLENGE_KEY = 'mcp/www_authenticate';

/** Undefined unless a scope is missing. What the program has, and the missing one: a new consent would take the others away. */
export function scopesToAskFor({ code, data }: Pick<MarketError, 'code' | 'data'>): string | undefined {
  if (code !== 'insufficient_scope') return undefined;
  const { needed = [], granted = [] } = (data ?? {}) as { readonly needed?: readonly string[]; readonly granted?: readonly string[] };
  // Any one of the needed is enough; the first is the narrowest.
  return [...granted, ...needed.slice(0, 1)].join(' ');
}
