/** What a launch opens on chain and may compute, which decides its cost. The launcher and the quote of its cost read the same. */
import type { LauncherName } from '../token-launcher.ts';

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
function tokenAccountBytes({ nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): number {
  return ACCOUNT_WITH_EXTENSIONS + EXTENSION_HEAD + (nonTransferable ? EXTENSION_HEAD : 0);
}

/** What pump.fun's program makes of a new curve; it needs 125 of them today. */
const PUMP_CURVE_BYTES = 151;

/** The accounts that a launch opens, each with its size. */
export function launchedAccountBytes(launcher: LauncherName, metadata: MintMetadata): readonly number[] {
  const ours = [mintBytes(metadata), tokenAccountBytes(metadata)];
  return isPumpCoin(launcher, metadata) ? [...ours, PUMP_CURVE_BYTES] : ours;
}

/** The prototype of a mint of our own used 26,000. pump.fun's program derives a dozen addresses, at up to 1,500 for each try. */
export function mintComputeUnits(launcher: LauncherName, metadata: Pick<MintMetadata, 'nonTransferable'>): number {
  return isPumpCoin(launcher, metadata) ? 300_000 : 150_000;
}

function isPumpCoin(launcher: LauncherName, { nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): boolean {
  return launcher === 'pump_fun' && !nonTransferable;
}
