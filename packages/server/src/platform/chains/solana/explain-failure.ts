/** A payout's failure in our words. The instructions of a payout have a fixed order, so the position shows what went wrong. */
import type { OutgoingTransfer, TransferRefused } from '../chain.ts';
import type { TransactionFailure } from './solana-rpc.ts';

const CREATE_ACCOUNT_PLACE = 2;
const TRANSFER_PLACE = { usdc: 3, native: 2 } as const;
/** The fee payer comes first among a transaction's accounts. */
const TREASURY_INDEX = 0;

/** The system program's and the token program's own number for "not enough". */
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

/** Undefined when the failure is about the moment and not about the transfer: trying again may succeed. */
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

function explainInstruction(place: unknown, error: unknown, asset: Asset): ExplainedFailure {
  const notEnough =
    error === 'InsufficientFunds' || (typeof error === 'object' && error !== null && 'Custom' in error && error.Custom === NOT_ENOUGH);
  const opensAccount = asset === 'usdc' && place === CREATE_ACCOUNT_PLACE;
  if (notEnough && opensAccount) return NO_SOL.usdc;
  if (notEnough && place === TRANSFER_PLACE[asset]) return asset === 'usdc' ? NO_USDC : NO_SOL.native;
  const words = `${place}: ${typeof error === 'string' ? error : JSON.stringify(error)}`;
  if (opensAccount) return { reason: 'destination', message: `The destination cannot hold USDC (instruction ${words}).` };
  return { reason: 'other', message: `The network refused the transfer (instruction ${words}).` };
}
