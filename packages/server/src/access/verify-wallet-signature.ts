/**
 * Checks whether a signature proves control of a wallet. Accepts only one encoding of each signature: strict RFC 8032 on Solana,
 * EIP-191 personal_sign without malleable high-s values on EVM. Length checks come before any decoding or curve work.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { NetworkName, WalletChain } from '@market/contract';
import { ed25519 } from '@noble/curves/ed25519';
import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { base58 } from '@scure/base';
import { checksumAddress } from '../platform/wallets/wallet-address.ts';
import type { ProvenNetwork } from './caller.ts';
import { solanaFormsOf } from './solana-envelope.ts';

export interface ContractSignature {
  readonly address: string;
  readonly text: string;
  readonly signature: string;
  /** The client address whose budget this check uses. */
  readonly clientAddress: string;
}

/** Checks signatures of contract wallets (ERC-1271, ERC-6492) on chain. */
export interface SmartWalletVerifier {
  /** The network of the addresses in our records. */
  readonly home: NetworkName | undefined;
  /** The networks on which the wallet confirms the signature. Throws when the chain cannot be asked, or the budget is used up. */
  verify(question: ContractSignature): Promise<readonly ProvenNetwork[]>;
}

export interface WalletSignatureClaim {
  readonly chain: WalletChain;
  /** Canonical spelling, see `canonicalWallet`. */
  readonly address: string;
  /** As the caller spelled it, which is usually what the wallet was asked to sign. */
  readonly sentAddress: string;
  readonly textFor: (spelling: string) => string | Promise<string>;
  readonly signature: string;
}

/** An ERC-6492 signature contains the wallet's deployment call: a few kilobytes at most. */
const MAX_SIGNATURE_HEX_DIGITS = 2 * 8192;
/** 65 bytes (r, s, v), or 64 (EIP-2098). */
const ECDSA_HEX_LENGTHS = new Set([128, 130]);

/** Verifies a signature of the wallet's key. Needs no network call, so try it for every text before `verifyContractSignature`. */
export async function verifyKeySignature(claim: WalletSignatureClaim): Promise<boolean> {
  if (!isSpellingOf(claim.sentAddress, claim)) return false;
  return claim.chain === 'solana' ? verifySolana(claim) : verifyEvm(claim);
}

/** Asks the contract at the wallet's address. Returns the networks that confirm; empty for text that cannot be a contract signature. */
export async function verifyContractSignature(
  claim: WalletSignatureClaim,
  clientAddress: string,
  smartWallets: SmartWalletVerifier | undefined,
): Promise<readonly ProvenNetwork[]> {
  const hex = claim.chain === 'base' && isSpellingOf(claim.sentAddress, claim) ? readHex(claim.signature) : undefined;
  if (hex === undefined || smartWallets === undefined) return [];
  for (const text of await textsOf(claim)) {
    const proven = await smartWallets.verify({ address: claim.address, text, signature: `0x${hex}`, clientAddress });
    if (proven.length > 0) return proven;
  }
  return [];
}

function textsOf({ sentAddress, address, textFor }: WalletSignatureClaim): Promise<string[]> {
  return Promise.all(Array.from(new Set([sentAddress, address]), textFor));
}

/** The signed text must name this wallet: otherwise one signature would prove two wallets. */
function isSpellingOf(sent: string, { chain, address }: WalletSignatureClaim): boolean {
  if (sent === address) return true;
  return chain === 'base' && sent.length === address.length && sent.toLowerCase() === address.toLowerCase();
}

async function verifySolana({ address, textFor, signature }: WalletSignatureClaim): Promise<boolean> {
  const signatureBytes = decodeBase58(signature, 64, 88);
  const publicKey = decodeBase58(address, 32, 44);
  if (signatureBytes?.length !== 64 || publicKey?.length !== 32) return false;
  const message = Buffer.from(await textFor(address), 'utf8');
  const signed = solanaFormsOf(message, publicKey).find((form) => isSignedFast(form, signatureBytes, publicKey));
  // Not ZIP 215: that rule set lets small-order keys through, for which one signature fits any text.
  return signed !== undefined && ed25519.verify(signatureBytes, signed, publicKey, { zip215: false });
}

/**
 * OpenSSL takes a fraction of the time, so most forms of a text are ruled out here. It allows small-order keys, so the strict check
 * decides.
 */
function isSignedFast(message: Buffer, signature: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message, key, signature);
  } catch {
    return false; // The key is no point of the curve.
  }
}

function decodeBase58(text: string, minLength: number, maxLength: number): Uint8Array | undefined {
  if (text.length < minLength || text.length > maxLength || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return undefined;
  return base58.decode(text);
}

async function verifyEvm(claim: WalletSignatureClaim): Promise<boolean> {
  const hex = readHex(claim.signature);
  if (hex === undefined || !ECDSA_HEX_LENGTHS.has(hex.length)) return false;
  return (await textsOf(claim)).some((text) => recoverOnce(hex, text) === claim.address);
}

/** Recovering a signer takes milliseconds, and a wallet sends one signature with many requests: keep the latest results. */
const recovered = new Map<string, string | undefined>();
const MAX_RECOVERED = 1_000;

function recoverOnce(hex: string, text: string): string | undefined {
  const key = `${hex} ${text}`;
  if (recovered.has(key)) return recovered.get(key);
  const plain = readEcdsaSignature(hex);
  const signer = plain === undefined ? undefined : recoverSigner(plain, text);
  const [oldest] = recovered.keys();
  if (recovered.size >= MAX_RECOVERED && oldest !== undefined) recovered.delete(oldest);
  recovered.set(key, signer);
  return signer;
}

/** Hex digits without 0x, lower-case, whole bytes. */
function readHex(signature: string): string | undefined {
  if (signature.length > MAX_SIGNATURE_HEX_DIGITS + 2) return undefined;
  return /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(signature)?.[1]?.toLowerCase();
}

type RecoverableSignature = ReturnType<InstanceType<typeof secp256k1.Signature>['addRecoveryBit']>;

/** 65 bytes (r, s, v) or the 64 bytes of EIP-2098, where the top bit of s is the parity. */
function readEcdsaSignature(hex: string): RecoverableSignature | undefined {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  const parity = bytes.length === 65 ? parityOfV.get(bytes[64]) : takeTopBitOfS(bytes);
  if (parity === undefined) return undefined;
  try {
    const signature = secp256k1.Signature.fromCompact(bytes.subarray(0, 64));
    return signature.hasHighS() ? undefined : signature.addRecoveryBit(parity);
  } catch {
    return undefined; // r or s outside the curve order
  }
}

const parityOfV = new Map<number | undefined, 0 | 1>([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

function takeTopBitOfS(compact: Uint8Array): 0 | 1 {
  const first = compact[32] ?? 0;
  compact[32] = first & 0x7f;
  return first & 0x80 ? 1 : 0;
}

/** The checksummed address that signed `text` by personal_sign. */
function recoverSigner(signature: RecoverableSignature, text: string): string | undefined {
  const message = Buffer.from(text, 'utf8');
  const digest = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'utf8'), message]));
  try {
    const publicKey = signature.recoverPublicKey(digest).toRawBytes(false).subarray(1);
    return checksumAddress(Buffer.from(keccak_256(publicKey).subarray(12)).toString('hex'));
  } catch {
    return undefined; // r is not the x of any curve point
  }
}
