/**
 * Accounts of pump.fun's program, by the layouts of its published interface. Later versions only add fields at the end, so what is read
 * here keeps its place.
 */
import { type Address, getAddressDecoder } from '@solana/addresses';
import { deriveAddress } from './derived-address.ts';
import { keyBytes } from './instruction-bytes.ts';
import { PUMP_FEES_PROGRAM, PUMP_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import type { SolanaAccount } from './solana-rpc.ts';

export interface PumpGlobal {
  /** Of every coin, in the smallest unit. */
  readonly tokenTotalSupply: bigint;
  /** Whether anybody may create coins now. */
  readonly isCreateEnabled: boolean;
}

const GLOBAL = Buffer.from('a7e8e8b1c86c727f', 'hex');
const CURVE = Buffer.from('17b7f83760d8ac60', 'hex');
const TOTAL_SUPPLY_AT = 97;
const CREATE_ENABLED_AT = 450;
/** As much of the account as is read here. */
export const GLOBAL_BYTES = CREATE_ENABLED_AT + 1;

export async function deriveGlobal(): Promise<Address> {
  return await deriveAddress(PUMP_PROGRAM, ['global']);
}

export async function deriveCurve(mint: Address): Promise<Address> {
  return await deriveAddress(PUMP_PROGRAM, ['bonding-curve', keyBytes(mint)]);
}

/** Where the creator fees of one coin wait that several share. Only pump.fun's program can move them, and only with the instruction that shares them out. */
export async function deriveSharedFees(mint: Address): Promise<Address> {
  const sharing = await deriveAddress(PUMP_FEES_PROGRAM, ['sharing-config', keyBytes(mint)]);
  return await deriveAddress(PUMP_PROGRAM, ['creator-vault', keyBytes(sharing)]);
}

export function isCurve(account: SolanaAccount | null | undefined): boolean {
  return account?.owner === PUMP_PROGRAM && account.data.subarray(0, 8).equals(CURVE);
}

/** Undefined when it is not the account of pump.fun's settings, or a version that this does not know. */
export function readPumpGlobal(account: SolanaAccount | null | undefined): PumpGlobal | undefined {
  if (account?.owner !== PUMP_PROGRAM || account.data.length < GLOBAL_BYTES || !account.data.subarray(0, 8).equals(GLOBAL))
    return undefined;
  return {
    tokenTotalSupply: account.data.readBigUInt64LE(TOTAL_SUPPLY_AT),
    isCreateEnabled: account.data.readUInt8(CREATE_ENABLED_AT) === 1,
  };
}

/** Behind the discriminator (8), five amounts (40) and whether the curve is complete (1). Curves of before May 2025 end there. */
const CREATOR_AT = 49;

export function readCurveCreator(account: SolanaAccount | null | undefined): string | null {
  if (account?.owner !== PUMP_PROGRAM || account.data.length < CREATOR_AT + 32 || !account.data.subarray(0, 8).equals(CURVE)) return null;
  const creator = getAddressDecoder().decode(account.data, CREATOR_AT);
  // All zeros, which is also the system program's address, stand for none.
  return creator === SYSTEM_PROGRAM ? null : creator;
}
