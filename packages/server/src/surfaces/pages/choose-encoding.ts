type Encoding = 'br' | 'gzip' | undefined;

/** Clients send only a few different headers, so each is parsed once. */
const known = new Map<string, Encoding>();
const MOST_KNOWN = 100;

/** The best compression that the client accepts; undefined for none. */
export function chooseEncoding(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return undefined;
  const header = String(accepted);
  if (known.has(header)) return known.get(header);
  const encoding = readEncoding(header);
  if (known.size < MOST_KNOWN) known.set(header, encoding);
  return encoding;
}

function readEncoding(header: string): Encoding {
  const offers = header
    .split(',')
    .map((offer) => offer.trim().toLowerCase())
    .filter((offer) => !/;\s*q=0(\.0*)?$/.test(offer))
    .map((offer) => offer.split(';')[0]);
  if (offers.includes('br')) return 'br';
  return offers.includes('gzip') ? 'gzip' : undefined;
}
