/**
 * What two nodes together say about a signed transfer. One node is enough for "it may have landed", which costs only patience; both are
 * needed for "it never will", after which somebody pays again.
 */
import { ChainUnavailable, type TransferOutcome } from './chain.ts';
import { lessFinal } from './finality.ts';

type Landed = Extract<TransferOutcome, { state: 'landed' }>;

/** `opinion` is the second node's word, or why there is none. Throws it when it would have been needed. */
export function agreeOnOutcome(outcome: TransferOutcome, opinion: TransferOutcome | ChainUnavailable): TransferOutcome {
  const other = opinion instanceof ChainUnavailable ? undefined : opinion;
  if (outcome.state === 'landed') return joinLandings(outcome, other);
  if (other?.state === 'landed') return { ...other, finality: 'seen' };
  if (outcome.state === 'open') return outcome;
  if (opinion instanceof ChainUnavailable) throw opinion;
  return opinion.state === outcome.state ? outcome : { state: 'open' };
}

/** As final as the less sure of the two says; while only one knows it, no more than seen. */
function joinLandings(landed: Landed, other: TransferOutcome | undefined): Landed {
  const isKnownToBoth = other?.state === 'landed' && other.reference === landed.reference;
  return { ...landed, finality: isKnownToBoth ? lessFinal(landed.finality, other.finality) : 'seen' };
}
