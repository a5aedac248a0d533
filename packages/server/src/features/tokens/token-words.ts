/** The rules for token names: a name agrees with its mint and resembles nothing else that people know. Pure. */
import type { MintNames } from '../../platform/chains/token-reader.ts';
import { looksLikeMarket, nameSkeleton } from '../agents/index.ts';

/** No name may contain these. */
const COINS = ['USDC', 'USD Coin'].map(nameSkeleton);
/** Refused as whole names only: too short, or too common within other words. */
const WHOLE_COINS = new Set(['SOL', 'WSOL', 'Solana', 'Wrapped SOL', 'Wrapped Solana'].map(nameSkeleton));

/** Tokens launched here carry the marketplace's suffix on chain. */
function withoutSuffix(name: string, serviceName: string): string {
  const suffix = ` by ${serviceName}`;
  const bare = name.toLowerCase().endsWith(suffix.toLowerCase()) ? name.slice(0, -suffix.length).trim() : name.trim();
  return bare === '' ? name.trim() : bare;
}

/** Name and symbol as a reader sees them: look-alikes are one text. */
export function tokenWords({ name, symbol }: MintNames, serviceName: string): readonly string[] {
  return distinct([withoutSuffix(name, serviceName), symbol]);
}

/** The words that no other token may have on record. Tokens of earlier versions may carry the suffix. */
export function claimedWords(names: MintNames, serviceName: string): readonly string[] {
  const bare = withoutSuffix(names.name, serviceName);
  return distinct([bare, `${bare} by ${serviceName}`, names.symbol]);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(nameSkeleton))].filter((word) => word !== '');
}

/** The reason in words; undefined for a name and symbol that anybody may use. */
export function findReserved(names: MintNames, serviceName: string): string | undefined {
  for (const text of [withoutSuffix(names.name, serviceName), names.symbol]) {
    const word = nameSkeleton(text);
    if (looksLikeMarket(text, serviceName)) return 'Name and symbol of a token may not look like the marketplace itself. Choose others.';
    if (COINS.some((coin) => word.includes(coin)) || WHOLE_COINS.has(word))
      return `"${text}" looks like USDC or SOL, which people pay with here. Only another name can go on record.`;
  }
  return undefined;
}

/** Whether the mint's metadata agrees with the given names. A part that it leaves out agrees with everything. */
export function agreesWithMint(ofMint: MintNames, given: MintNames, serviceName: string): boolean {
  // Inputs have one space where others have several.
  const [name, symbol] = [ofMint.name, ofMint.symbol].map((text) => text.replace(/\s+/g, ' ').trim());
  return (
    (name === '' || withoutSuffix(name ?? '', serviceName) === withoutSuffix(given.name, serviceName)) &&
    (symbol === '' || symbol === given.symbol)
  );
}

/** Metadata that names the token only in part leaves the rest to its owner. */
export function namedBy(ofMint: MintNames | null): 'mint' | 'owner' {
  return ofMint !== null && ofMint.name !== '' && ofMint.symbol !== '' ? 'mint' : 'owner';
}
