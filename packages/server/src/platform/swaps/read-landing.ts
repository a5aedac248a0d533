/** Asks our own node for the outcome of a swap: the venue's answer only describes the moment of landing. */
import type { SolanaRpc } from '../chains/solana/solana-rpc.ts';
import type { ReadLanding } from './swap-venue.ts';

export function createLandingReader({ findStatus }: Pick<SolanaRpc, 'findStatus'>): ReadLanding {
  return async (signature) => {
    const { status } = await findStatus(signature);
    if (status === null) return 'missing';
    if (status.err !== null) return 'failed';
    if (status.confirmationStatus === 'finalized') return 'final';
    return status.confirmationStatus === 'confirmed' ? 'landed' : 'missing';
  };
}
