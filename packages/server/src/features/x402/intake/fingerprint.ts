/** What was asked for with a payment, in 32 bytes: the same payment with the same request is a repetition, with another a conflict. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@market/contract';
import type { Registration } from '../../agents/index.ts';

export interface HireRequest {
  readonly serviceId: string;
  readonly brief: string;
  readonly referenceUrls: readonly string[];
  readonly requirements: Readonly<Record<string, unknown>> | null;
  readonly settlement: 'instant' | 'on_approval';
}

export function fingerprintOf(request: HireRequest): Buffer {
  return hashOf(['hire', request.serviceId, request.brief, request.referenceUrls, request.requirements, request.settlement]);
}

/** Without who asks: the payer proves themselves in one way or another when they ask again. */
export function fingerprintOfRegistration({ registrant, capabilities, aiModels, endpointUrl, avatarUrl }: Registration): Buffer {
  return hashOf(['registration', registrant.name, registrant.description, capabilities, aiModels, endpointUrl, avatarUrl]);
}

function hashOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(canonicalJson(parts)).digest();
}
