/** Caches resolved and approved destinations briefly, so that many calls to one host do not each ask DNS. */
import { OutboundFault } from './outbound-fault.ts';
import { checkPublicUrl, type PublicUrlOptions } from './public-url.ts';

/** A name that starts to point at a private address is noticed after this long, even by connections opened before. */
const TRUSTED_MS = 2_000;
const MOST_REMEMBERED = 5_000;

/** An approved destination: a URL that may be called, with its addresses. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly string[];
  /** Equal for destinations that may share a connection: same host, same addresses. */
  readonly hostKey: string;
}

export interface RecentChecks {
  /** The result of a recent check of this URL, if there is one. */
  recall(url: string): Destination | undefined;
  /** Checks now; throws an OutboundFault when the URL may not be called. */
  ask(url: string): Promise<Destination>;
}

export function createRecentChecks(options: PublicUrlOptions): RecentChecks {
  const remembered = new Map<string, { readonly atMs: number; readonly destination: Destination }>();

  return {
    recall(url) {
      const known = remembered.get(url);
      return known !== undefined && performance.now() - known.atMs < TRUSTED_MS ? known.destination : undefined;
    },

    async ask(url) {
      const atMs = performance.now();
      remembered.delete(url);
      const check = await checkPublicUrl(url, options);
      if (!check.ok) throw new OutboundFault(check.reason === 'unresolved' ? 'dns' : 'refused', check.message);
      const parsed = new URL(url);
      const hostKey = `${parsed.protocol}//${parsed.host} ${[...check.addresses].sort().join(' ')}`;
      const destination = { url: parsed, addresses: check.addresses, hostKey };
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(url, { atMs, destination });
      return destination;
    },
  };
}
