/** Explains why a payout failed. Its instructions have a fixed order, so the position of the failed one shows the cause. */
import type { OutgoingTransfer, TransferRefused } from '../chain.ts';
import type { TransactionFailure } from './solana-rpc.ts';

const CREATE_ACCOUNT_POSITION = 2;
const TRANSFER_POSITION = { usdc: 3, native: 2 } as const;
/** The fee payer comes first among a transaction's accounts. */
const TREASURY_INDEX = 0;

/** Error number of the system program and the token program for "not enough". */
const NOT_ENOUGH = 1;

export interface ExplainedFailure {
  readonly reason: TransferRefused['reason'];
  readonly message: string;
}

type Asset = OutgoingTransfer['asset'];

const NO_SOL: Record<Asset, ExplainedFailure> = {
  usdc: { reason: 'insufficient_native', message: 'The treasury has too little SOL for the fee and a new token account.' },
  native: { reason: 'insufficient_native', message: 'The treasury has too little SOL for this transfer, its fee and its own rent.' },
};
const NO_USDC: ExplainedFailure = { reason: 'insufficient_usdc', message: 'The treasury has too little USDC for this transfer.' };
const BELOW_MINIMUM: ExplainedFailure = {
  reason: 'destination',
  message: 'The destination would hold less SOL than an account needs to exist on chain.',
};

/** Undefined when the failure is temporary and not caused by the transfer: a retry may succeed. */
export function explainFailure(failure: TransactionFailure, asset: Asset): ExplainedFailure | undefined {
  if (typeof failure === 'string')
    return failure === 'InsufficientFundsForFee' || failure === 'AccountNotFound' ? NO_SOL[asset] : undefined;
  const { InsufficientFundsForRent: rent, InstructionError: detail } = failure;
  if (rent !== undefined) return asset === 'usdc' || isAboutTreasury(rent) ? NO_SOL[asset] : BELOW_MINIMUM;
  return Array.isArray(detail) ? explainInstruction(detail[0], detail[1], asset) : undefined;
}

function isAboutTreasury(rent: unknown): boolean {
  return typeof rent === 'object' && rent !== null && 'account_index' in rent && rent.account_index === TREASURY_INDEX;
}

function explainInstruction(position: unknown, error: unknown, asset: Asset): ExplainedFailure {
  const notEnough =
    error === 'InsufficientFunds' || (typeof error === 'object' && error !== null && 'Custom' in error && error.Custom === NOT_ENOUGH);
  const opensAccount = asset === 'usdc' && position === CREATE_ACCOUNT_POSITION;
  if (notEnough && opensAccount) return NO_SOL.usdc;
  if (notEnough && position === TRANSFER_POSITION[asset]) return asset === 'usdc' ? NO_USDC : NO_SOL.native;
  const words = `${position}: ${typeof error === 'string' ? error : JSON.stringify(error)}`;
  if (opensAccount) return { reason: 'destination', message: `The destination cannot hold USDC (instruction ${words}).` };
  return { reason: 'other', message: `The network refused the transfer (instruction ${words}).` };
}
