/** The accounts that a launch opens and the compute units it may use, which decide its cost. Launcher and quote both use these figures. */
import type { LauncherName } from '../token-launcher.ts';

export interface MintMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly additional?: readonly (readonly [string, string])[];
  readonly nonTransferable?: boolean;
}

/** A mint is padded to the size of a token account; one byte for its kind follows. */
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

/** The size at creation. Writing the metadata makes the account grow. */
export function bareMintBytes({ nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): number {
  return ACCOUNT_WITH_EXTENSIONS + METADATA_POINTER + (nonTransferable ? EXTENSION_HEAD : 0);
}

/** Associated accounts have an immutable owner; those of non-transferable tokens have a second extension. */
function tokenAccountBytes({ nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): number {
  return ACCOUNT_WITH_EXTENSIONS + EXTENSION_HEAD + (nonTransferable ? EXTENSION_HEAD : 0);
}

/** The size that pump.fun's program gives a new curve; 125 bytes of it are in use today. */
const PUMP_CURVE_BYTES = 151;

/** The accounts that a launch opens, each with its size. */
export function launchedAccountBytes(launcher: LauncherName, metadata: MintMetadata): readonly number[] {
  const ours = [mintBytes(metadata), tokenAccountBytes(metadata)];
  return isPumpCoin(launcher, metadata) ? [...ours, PUMP_CURVE_BYTES] : ours;
}

/** Compute limits. A prototype of our own mint used 26,000. pump.fun's program derives a dozen addresses, at up to 1,500 for each try. */
export function mintComputeUnits(launcher: LauncherName, metadata: Pick<MintMetadata, 'nonTransferable'>): number {
  return isPumpCoin(launcher, metadata) ? 300_000 : 150_000;
}

function isPumpCoin(launcher: LauncherName, { nonTransferable = false }: Pick<MintMetadata, 'nonTransferable'>): boolean {
  return launcher === 'pump_fun' && !nonTransferable;
}
