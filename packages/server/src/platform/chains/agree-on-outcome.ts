/**
 * Combines the answers of two nodes about a signed transfer. One node is enough for "it may have landed", which only costs time. Both must
 * agree on "it never will", because the transfer is then signed again.
 */
import { ChainUnavailable, type TransferOutcome } from './chain.ts';
import { lessFinal } from './finality.ts';

type Landed = Extract<TransferOutcome, { state: 'landed' }>;

/** `opinion` is the second node's answer or error. Throws the error if the answer is needed. */
export function agreeOnOutcome(outcome: TransferOutcome, opinion: TransferOutcome | ChainUnavailable): TransferOutcome {
  const other = opinion instanceof ChainUnavailable ? undefined : opinion;
  if (outcome.state === 'landed') return joinLandings(outcome, other);
  if (other?.state === 'landed') return { ...other, finality: 'seen' };
  if (outcome.state === 'open') return outcome;
  if (opinion instanceof ChainUnavailable) throw opinion;
  return opinion.state === outcome.state ? outcome : { state: 'open' };
}

/** The lower finality of the two; `seen` while only one node knows it. */
function joinLandings(landed: Landed, other: TransferOutcome | undefined): Landed {
  const isKnownToBoth = other?.state === 'landed' && other.reference === landed.reference;
  return { ...landed, finality: isKnownToBoth ? lessFinal(landed.finality, other.finality) : 'seen' };
}

export function keepUnavailable(error: unknown): ChainUnavailable {
  if (error instanceof ChainUnavailable) return error;
  throw error;
}
