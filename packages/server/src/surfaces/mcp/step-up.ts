/** Tells a connected program that lacks a scope which scopes to request from its person. */
import type { MarketError } from '@market/contract';

/** The `_meta` key for what the header `WWW-Authenticate` says over HTTP. */
export const CHALLENGE_KEY = 'mcp/www_authenticate';

/** Undefined unless a scope is missing. Includes the scopes that the program has, because a new consent replaces them. */
export function scopesToAskFor({ code, data }: Pick<MarketError, 'code' | 'data'>): string | undefined {
  if (code !== 'insufficient_scope') return undefined;
  const { needed = [], granted = [] } = (data ?? {}) as { readonly needed?: readonly string[]; readonly granted?: readonly string[] };
  // One of the needed scopes is enough; the first is the narrowest.
  return [...granted, ...needed.slice(0, 1)].join(' ');
}
