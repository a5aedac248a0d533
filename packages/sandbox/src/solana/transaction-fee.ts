// The fee of a transaction: a price per signature, plus its priority fee.

import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM } from './programs.ts';
import type { WireMessage } from './wire-transaction.ts';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MAX_COMPUTE_UNITS = 1_400_000;
const BUILTIN_COMPUTE_UNITS = 3_000;
const PROGRAM_COMPUTE_UNITS = 200_000;
const MICRO_LAMPORTS = 1_000_000n;
const SET_LIMIT = 2;
const SET_PRICE = 3;
const SIGNATURE_PROGRAMS: readonly string[] = [ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM];

export function feeOf(message: WireMessage): number {
  let signatures = BigInt(message.requiredSignatures);
  let allowance = 0;
  let limit: number | undefined;
  let price = 0n;
  for (const { programIndex, data } of message.instructions) {
    const program = message.accounts[programIndex] ?? '';
    allowance += BUILTIN_PROGRAMS.includes(program) ? BUILTIN_COMPUTE_UNITS : PROGRAM_COMPUTE_UNITS;
    // The first byte of a signature check is the number of its signatures.
    if (SIGNATURE_PROGRAMS.includes(program)) signatures += BigInt(data[0] ?? 0);
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const setting = Buffer.from(data.buffer, data.byteOffset, data.length);
    if (data[0] === SET_LIMIT && data.length >= 5) limit = setting.readUInt32LE(1);
    if (data[0] === SET_PRICE && data.length >= 9) price = setting.readBigUInt64LE(1);
  }
  const units = BigInt(Math.min(limit ?? allowance, MAX_COMPUTE_UNITS));
  return Number(LAMPORTS_PER_SIGNATURE * signatures + (price * units + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS);
}
