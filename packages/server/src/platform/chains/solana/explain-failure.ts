/** A payout's failure in our words. The instructions of a payout have a fixed order, so the place tells what went wrong. */
import type { TransferRefused } from '../chain.ts';
import type { TransactionFailure } from './solana-rpc.ts';

const CREATE_ACCOUNT_PLACE = 2;
const TRANSFER_PLACE = 3;

/** The system program's and the token program's own number for "not enough". */
const NOT_ENOUGH = 1;

export interface ExplainedFailure {
  readonly reason: TransferRefused['reason'];
  readonly message: string;
}

const NO_SOL: ExplainedFailure = {
  reason: 'insufficient_native',
  message: 'The treasury has too little SOL for the fee and a new token account.',
};
const NO_USDC: ExplainedFailure = { reason: 'insufficient_usdc', message: 'The treasury has too little USDC for this transfer.' };

/** Undefined when the failure is about the moment and not about the transfer: trying again may succeed. */
export function explainFailure(failure: TransactionFailure): ExplainedFailure | undefined {
  if (typeof failure === 'string') return failure === 'InsufficientFundsForFee' || failure === 'AccountNotFound' ? NO_SOL : undefined;
  if ('InsufficientFundsForRent' in failure) return NO_SOL;
  const { InstructionError: detail } = failure;
  return Array.isArray(detail) ? explainInstruction(detail[0], detail[1]) : undefined;
}

function explainInstruction(place: unknown, error: unknown): ExplainedFailure {
  const notEnough =
    error === 'InsufficientFunds' || (typeof error === 'object' && error !== null && 'Custom' in error && error.Custom === NOT_ENOUGH);
  if (notEnough && place === CREATE_ACCOUNT_PLACE) return NO_SOL;
  if (notEnough && place === TRANSFER_PLACE) return NO_USDC;
  const words = `${place}: ${typeof error === 'string' ? error : JSON.stringify(error)}`;
  if (place === CREATE_ACCOUNT_PLACE) return { reason: 'destination', message: `The destination cannot hold USDC (instruction ${words}).` };
  return { reason: 'other', message: `The network refused the transfer (instruction ${words}).` };
}
