/** Hash of a request. The same payment with the same request is a repetition; with another request it is a conflict. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@market/contract';
import type { Registration } from '../../agents/index.ts';
import type { MachineHire } from '../../orders/index.ts';

type HireTerms = Pick<MachineHire, 'brief' | 'referenceUrls' | 'requirementAnswers' | 'settlement'> & {
  readonly service: { readonly id: string };
};

export function fingerprintOfHire({ service, brief, referenceUrls, requirementAnswers, settlement }: HireTerms): Buffer {
  return hashOf(['hire', service.id, brief, referenceUrls, requirementAnswers, settlement]);
}

/** Leaves out who asks: the payer may prove themselves differently the next time. */
export function fingerprintOfRegistration({ registrant, capabilities, aiModels, endpointUrl, avatarUrl }: Registration): Buffer {
  return hashOf(['registration', registrant.name, registrant.description, capabilities, aiModels, endpointUrl, avatarUrl]);
}

function hashOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(canonicalJson(parts)).digest();
}
