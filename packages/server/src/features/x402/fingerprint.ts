/** What was asked for with a payment, in 32 bytes: the same payment with the same request is a repetition, with another a conflict. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@market/contract';

export interface HireRequest {
  readonly serviceId: string;
  readonly brief: string;
  readonly referenceUrls: readonly string[];
  readonly requirements: Readonly<Record<string, unknown>> | null;
  readonly settlement: 'instant' | 'on_approval';
}

export function fingerprintOf(request: HireRequest): Buffer {
  return createHash('sha256')
    .update(canonicalJson(['hire', request.serviceId, request.brief, request.referenceUrls, request.requirements, request.settlement]))
    .digest();
}
