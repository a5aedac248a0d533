/** Context shared by the parts of the EVM adapter. */
import type { NetworkName } from '@market/contract';
import type { Hex } from 'viem';
import { getAddress } from 'viem/utils';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { EvmSigner } from '../treasury-signer.ts';

export interface EvmContext {
  readonly network: NetworkName;
  readonly chainId: number;
  readonly rpc: JsonRpcClient;
  /** The adapter spells addresses in EIP-55 everywhere, so that they can be compared as text. */
  readonly usdc: Hex;
  readonly treasury: Hex;
  /** Absent if this process only watches. */
  readonly signer: EvmSigner | undefined;
  /** Submits the authorisations of USDC and pays their fees; absent: the treasury's own account does. */
  readonly feePayer?: EvmSigner | undefined;
  readonly usdcDomain: UsdcDomain;
  readonly confirmedDepth: bigint;
  readonly finalTag: 'safe' | 'finalized';
  /** First block of the search for unreported transfers on a fresh database; undefined means the last final block. */
  readonly startBlock: bigint | undefined;
  readonly maxFeePerGas: bigint;
}

/** The name and version under which USDC checks signatures (EIP-712). */
export interface UsdcDomain {
  readonly name: string;
  readonly version: string;
}

/** The account whose transactions submit USDC authorisations. */
export function feeAccountOf({ feePayer, treasury }: EvmContext): Hex {
  return feePayer?.address ?? treasury;
}

const REFERENCE = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function canonicalReference(text: string): Hex | undefined {
  const hash = text.trim().toLowerCase();
  return REFERENCE.test(hash) ? (hash as Hex) : undefined;
}

export function canonicalAddress(text: string): Hex | undefined {
  return ADDRESS.test(text) ? getAddress(text.toLowerCase()) : undefined;
}
