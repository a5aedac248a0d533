/** Sizes of Token-2022 accounts, which decide the rent of a launch. */

export interface MintMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly additional?: readonly (readonly [string, string])[];
  readonly nonTransferable?: boolean;
}

/** A mint is padded to the size of a token account, then comes one byte for its kind. */
const ACCOUNT_WITH_EXTENSIONS = 165 + 1;
const EXTENSION_HEAD = 4;
const METADATA_POINTER = EXTENSION_HEAD + 64;
/** Update authority and mint. */
const METADATA_KEYS = 64;
const LENGTH_PREFIX = 4;

/** The size of the mint account with this metadata. */
export function mintBytes(metadata: MintMetadata): number {
  const { name, symbol, uri, additional = [] } = metadata;
  const texts = [name, symbol, uri, ...additional.flat()];
  const written = METADATA_KEYS + texts.reduce((sum, text) => sum + LENGTH_PREFIX + Buffer.byteLength(text), 0) + LENGTH_PREFIX;
  return bareMintBytes(metadata) + EXTENSION_HEAD + written;
}

/** The size the account is made with. Writing the metadata makes it grow. */
export function bareMintBytes({ nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): number {
  return ACCOUNT_WITH_EXTENSIONS + METADATA_POINTER + (nonTransferable ? EXTENSION_HEAD : 0);
}

/** Associated accounts cannot change their owner; those of non-transferable tokens carry a second mark. */
export function tokenAccountBytes({ nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): number {
  return ACCOUNT_WITH_EXTENSIONS + EXTENSION_HEAD + (nonTransferable ? EXTENSION_HEAD : 0);
}
