/** Reads a mint with everything the chain records about its creator. Reads bytes, because nodes differ in what they parse. */
import { type Address, getAddressDecoder } from '@solana/addresses';
import type { MintFacts, MintNames } from '../token-reader.ts';
import { canonicalAddress } from './base58-text.ts';
import { deriveAddress } from './derived-address.ts';
import { keyBytes } from './instruction-bytes.ts';
import { METAPLEX_METADATA_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { deriveCurve, readCurveCreator } from './pump-accounts.ts';
import type { SolanaContext } from './solana-context.ts';
import type { SolanaAccount } from './solana-rpc.ts';

/** Enough for a mint with its extensions, as names and links in its metadata are short. */
const MINT_BYTES_READ = 4096;
const MINT_BYTES = 82;
/** Token-2022 puts extensions after the length of a token account and one byte for the kind of account. */
const EXTENSIONS_AT = 166;
const KIND_AT = 165;
const KIND_MINT = 1;
const TOKEN_METADATA = 19;

export async function readMint({ rpc }: Pick<SolanaContext, 'rpc'>, text: string): Promise<MintFacts | undefined> {
  const mint = canonicalAddress(text);
  if (mint === undefined) return undefined;
  const [curve, metadata] = await Promise.all([
    deriveCurve(mint),
    deriveAddress(METAPLEX_METADATA_PROGRAM, ['metadata', keyBytes(METAPLEX_METADATA_PROGRAM), keyBytes(mint)]),
  ]);
  const [account, curveAccount, metadataAccount] = await rpc.readAccounts([mint, curve, metadata], MINT_BYTES_READ);
  const base = readBase(account);
  if (base === undefined || account == null) return undefined;
  const [own, metaplex] = [readOwnMetadata(account), readMetaplex(metadataAccount, mint)];
  return {
    ...base,
    metadataAuthority: own?.authority ?? metaplex?.authority ?? null,
    names: own?.names ?? metaplex?.names ?? null,
    creator: readCurveCreator(curveAccount),
  };
}

function readBase(account: SolanaAccount | null | undefined): Omit<MintFacts, 'metadataAuthority' | 'names' | 'creator'> | undefined {
  const program = account?.owner === TOKEN_PROGRAM ? 'token' : account?.owner === TOKEN_2022_PROGRAM ? 'token-2022' : undefined;
  if (account == null || program === undefined) return undefined;
  const { data } = account;
  const isPlain = data.length === MINT_BYTES;
  const isExtended = program === 'token-2022' && data.length > EXTENSIONS_AT && data.readUInt8(KIND_AT) === KIND_MINT;
  if ((!isPlain && !isExtended) || data.readUInt8(45) !== 1) return undefined;
  return {
    program,
    mintAuthority: data.readUInt32LE(0) === 1 ? readAddress(data, 4) : null,
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
  };
}

interface Metadata {
  readonly authority: string | null;
  readonly names: MintNames | null;
}

/** Each extension has its kind and length in two bytes each, then its content. */
function readOwnMetadata({ owner, data }: SolanaAccount): Metadata | undefined {
  if (owner !== TOKEN_2022_PROGRAM) return undefined;
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const [kind, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    if (kind === 0) return undefined;
    if (kind === TOKEN_METADATA) return readMetadata(data, at + 4);
    at += 4 + length;
  }
  return undefined;
}

const METAPLEX_V1 = 4;

function readMetaplex(account: SolanaAccount | null | undefined, mint: Address): Metadata | undefined {
  if (account?.owner !== METAPLEX_METADATA_PROGRAM || account.data.length < 65) return undefined;
  if (account.data.readUInt8(0) !== METAPLEX_V1 || readAddress(account.data, 33) !== mint) return undefined;
  return readMetadata(account.data, 1);
}

const KEY_BYTES = 32;

/** Both programs write authority, mint, name and symbol in this order. */
function readMetadata(data: Buffer, at: number): Metadata | undefined {
  if (at + KEY_BYTES > data.length) return undefined;
  const [name, afterName] = readText(data, at + 2 * KEY_BYTES);
  const [symbol] = readText(data, afterName);
  return { authority: readOptional(data, at), names: name === '' && symbol === '' ? null : { name, symbol } };
}

/** Metaplex pads with zeros. A text that exceeds the bytes read is cut, and then equals nothing that can be registered. */
function readText(data: Buffer, at: number): [text: string, after: number] {
  if (at + 4 > data.length) return ['', data.length];
  const end = Math.min(at + 4 + data.readUInt32LE(at), data.length);
  return [
    data
      .toString('utf8', at + 4, end)
      .replace(/\0+$/, '')
      .trim(),
    end,
  ];
}

function readAddress(data: Buffer, at: number): string {
  return getAddressDecoder().decode(data, at);
}

/** All zeros mean none; they are also the system program's address. */
function readOptional(data: Buffer, at: number): string | null {
  const found = readAddress(data, at);
  return found === SYSTEM_PROGRAM ? null : found;
}
