/** Caches resolved and approved destinations for a moment, so that many calls to one host do not each ask DNS. */
import { OutboundFault } from './outbound-fault.ts';
import { checkPublicUrl, type PublicUrlOptions } from './public-url.ts';

/** A name that begins to point inside is noticed after this long even by connections that were opened before. */
const TRUSTED_MS = 2_000;
const MOST_REMEMBERED = 5_000;

/** Where a call goes: an address that may be called, with what it resolved to. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly string[];
  /** The same for destinations that may share a connection: same host, same addresses. */
  readonly place: string;
}

export interface RecentChecks {
  /** Where the URL led when it was last asked, if that was lately. */
  recall(url: string): Destination | undefined;
  /** Asks now; throws an OutboundFault when it may not be called. */
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
      const place = `${parsed.protocol}//${parsed.host} ${[...check.addresses].sort().join(' ')}`;
      const destination = { url: parsed, addresses: check.addresses, place };
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(url, { atMs, destination });
      return destination;
    },
  };
}
