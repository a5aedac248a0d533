/**
 * Signers of the treasury. Adapters know only these ports, so a key may be in the configuration, in a file or in a KMS. No code here prints
 * a key or puts one into an error.
 */
import { readFile } from 'node:fs/promises';
import type { Hex, TransactionSerializableEIP1559, TypedDataDefinition } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export interface EvmSigner {
  readonly kind: 'evm';
  /** EIP-55 spelling. */
  readonly address: Hex;
  /** The serialised signed transaction. */
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex>;
  /** 65 bytes: r, s, v. */
  signTypedData(data: TypedDataDefinition): Promise<Hex>;
}

/** A key in memory: 32 bytes as 64 hexadecimal digits, with or without 0x. */
export function createLocalEvmSigner(secret: string): EvmSigner {
  const digits = secret.trim().replace(/^0x/, '');
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new Error('The treasury key must be 64 hexadecimal digits.');
  const account = openAccount(`0x${digits}`);
  return {
    kind: 'evm',
    address: account.address,
    signTransaction: (transaction) => account.signTransaction(transaction),
    signTypedData: (data) => account.signTypedData(data),
  };
}

function openAccount(key: Hex): ReturnType<typeof privateKeyToAccount> {
  try {
    return privateKeyToAccount(key);
  } catch {
    // The library's own error may quote the key.
    throw new Error('The treasury key is no valid secp256k1 key. Make one with: openssl rand -hex 32');
  }
}

const FILE_PREFIX = 'file:';

/** Reads a key setting of any chain: the key itself, or `file:` and the path of a file with it. */
export async function readKeySetting(setting: string): Promise<string> {
  if (!setting.startsWith(FILE_PREFIX)) return setting.trim();
  const path = setting.slice(FILE_PREFIX.length);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`The key file ${path} cannot be read. Check that it exists and that this user may read it.`, { cause });
  });
  if (text.trim() === '') throw new Error(`The key file ${path} is empty.`);
  return text.trim();
}
