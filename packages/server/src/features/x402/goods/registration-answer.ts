/** The stored answer to a paid registration. */
import type { MarketError, OperationAnswer, Operations } from '@market/contract';

export type RegistrationAnswer = OperationAnswer<Operations['agents']['register']>;

/** As it is stored: beside the answer, the endpoint that the request named. Absent in answers of older versions. */
export type StoredRegistration = RegistrationAnswer & { readonly endpointUrl?: string | null };

/** Stored instead of an answer: the refusal, word for word. */
export interface Returned {
  readonly refusal: Pick<MarketError, 'code' | 'message' | 'data' | 'extras'>;
}

/** Where the answer to a registration is sealed. */
export function sealedRegistrationFor(subjectId: string): string {
  return `x402_purchases/${subjectId}`;
}
