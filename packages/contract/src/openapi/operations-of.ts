import { type NamedOperation, operationList } from '../operations.ts';

/** The operations that a service of this profile offers. */
export function operationsOf(profile: 'sandbox' | 'production' = 'production'): readonly NamedOperation[] {
  return profile === 'sandbox' ? operationList : operationList.filter(({ spec }) => spec.sandboxOnly !== true);
}
