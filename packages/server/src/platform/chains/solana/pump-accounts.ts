/**
 * Accounts of pump.fun's program, by the layouts of its published interface. Later versions only append fields, so these offsets stay
 * valid.
 */
import { type Address, getAddressDecoder } from '@solana/addresses';
import { deriveAddress } from './derived-address.ts';
import { keyBytes } from './instruction-bytes.ts';
import { PUMP_FEES_PROGRAM, PUMP_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import type { SolanaAccount } from './solana-rpc.ts';

export interface PumpGlobal {
  /** Supply of every coin, in its smallest unit. */
  readonly tokenTotalSupply: bigint;
  /** Whether anybody may create coins now. */
  readonly isCreateEnabled: boolean;
}

const GLOBAL = Buffer.from('a7e8e8b1c86c727f', 'hex');
const CURVE = Buffer.from('17b7f83760d8ac60', 'hex');
const TOTAL_SUPPLY_AT = 97;
const CREATE_ENABLED_AT = 450;
/** The part of the account that is read here. */
export const GLOBAL_BYTES = CREATE_ENABLED_AT + 1;

export async function deriveGlobal(): Promise<Address> {
  return await deriveAddress(PUMP_PROGRAM, ['global']);
}

export async function deriveCurve(mint: Address): Promise<Address> {
  return await deriveAddress(PUMP_PROGRAM, ['bonding-curve', keyBytes(mint)]);
}

/**
 * The account where shared creator fees of one coin wait. Only pump.fun's program can move them, and only by the instruction that
 * distributes them.
 */
export async function deriveSharedFees(mint: Address): Promise<Address> {
  const sharing = await deriveAddress(PUMP_FEES_PROGRAM, ['sharing-config', keyBytes(mint)]);
  return await deriveAddress(PUMP_PROGRAM, ['creator-vault', keyBytes(sharing)]);
}

export function isCurve(account: SolanaAccount | null | undefined): boolean {
  return account?.owner === PUMP_PROGRAM && account.data.subarray(0, 8).equals(CURVE);
}

/** Undefined unless it is the account of pump.fun's settings in a version that this code knows. */
export function readPumpGlobal(account: SolanaAccount | null | undefined): PumpGlobal | undefined {
  if (account?.owner !== PUMP_PROGRAM || account.data.length < GLOBAL_BYTES || !account.data.subarray(0, 8).equals(GLOBAL))
    return undefined;
  return {
    tokenTotalSupply: account.data.readBigUInt64LE(TOTAL_SUPPLY_AT),
    isCreateEnabled: account.data.readUInt8(CREATE_ENABLED_AT) === 1,
  };
}

/** Follows the discriminator (8), five amounts (40) and whether the curve is complete (1). Curves created before May 2025 end there. */
const CREATOR_AT = 49;

export function readCurveCreator(account: SolanaAccount | null | undefined): string | null {
  if (account?.owner !== PUMP_PROGRAM || account.data.length < CREATOR_AT + 32 || !account.data.subarray(0, 8).equals(CURVE)) return null;
  const creator = getAddressDecoder().decode(account.data, CREATOR_AT);
  // All zeros mean no creator; they are also the system program's address.
  return creator === SYSTEM_PROGRAM ? null : creator;
}
