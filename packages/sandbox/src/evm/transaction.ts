// The part of Ethereum's transaction format that the faucet needs, because the package has no client library at run time.

import { secp256k1 } from '@noble/curves/secp256k1';
import { fromBytes, type Hex, toBytes } from './hex.ts';
import { loadEdr } from './load-edr.ts';

export interface Transaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: number;
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
}

type Item = Uint8Array | readonly Item[];

const EIP_1559 = Uint8Array.of(2);

export function signTransaction(transaction: Transaction, key: Uint8Array): Hex {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data } = transaction;
  const noAccessList: Item = [];
  const fields: Item[] = [
    ...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(encodeNumber),
    toBytes(to),
    encodeNumber(value),
    toBytes(data),
    noAccessList,
  ];
  const digest = loadEdr().keccak256(Buffer.concat([EIP_1559, encodeRlp(fields)]));
  const { recovery, r, s } = secp256k1.sign(digest, key);
  return fromBytes(Buffer.concat([EIP_1559, encodeRlp([...fields, ...[recovery, r, s].map(encodeNumber)])]));
}

export function addressOf(key: Uint8Array): Hex {
  const point = secp256k1.getPublicKey(key, false).subarray(1);
  return fromBytes(loadEdr().keccak256(point).subarray(12));
}

/** RLP encodes zero as the empty string. */
function encodeNumber(value: number | bigint): Uint8Array {
  return BigInt(value) === 0n ? new Uint8Array() : toBytes(value.toString(16));
}

function encodeRlp(item: Item): Uint8Array {
  if (!(item instanceof Uint8Array)) return withLength(0xc0, Buffer.concat(item.map(encodeRlp)));
  const [only] = item;
  return item.length === 1 && only !== undefined && only < 0x80 ? item : withLength(0x80, item);
}

function withLength(offset: number, content: Uint8Array): Uint8Array {
  if (content.length <= 55) return Buffer.concat([Uint8Array.of(offset + content.length), content]);
  const length = encodeNumber(content.length);
  return Buffer.concat([Uint8Array.of(offset + 55 + length.length), length, content]);
}
