/** How an endpoint asks for payment: the form of its 402, its address, and how to call it. */
import type { NetworkName } from '@market/contract';
import type { PurchaseReference } from '../../payments/index.ts';
import type { PayableAddress } from './payable-address.ts';

/** `accepts`: the specification's list · `strict`: version 1 to the letter · `flat`: one requirement object. */
export type ChallengeForm = 'accepts' | 'strict' | 'flat';

/** A client that asks for version 1 gets it to the letter on every endpoint. */
export function formOf(usual: 'accepts' | 'flat', version: '1' | '2' | undefined): ChallengeForm {
  return version === '1' ? 'strict' : usual;
}

export interface ChallengeOptions extends PayableAddress {
  readonly form: ChallengeForm;
  /** Offered first, or the only one in the flat form. */
  readonly network: NetworkName | undefined;
  readonly method: 'GET' | 'POST';
  /** Text that a transfer can carry to name this purchase; only where the request is complete. */
  readonly reference?: PurchaseReference;
  /** How to call an endpoint that is not a hire, in version 2 and version 1. */
  readonly extension?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}
