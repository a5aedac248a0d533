import { agentErrors } from './agents/errors.ts';
import { identityErrors } from './identity/errors.ts';
import { kernelErrors } from './kernel/errors.ts';
import { paymentErrors } from './payments/errors.ts';

/** Every stable error code of the service. One folder per noun adds its own. */
export const errorCatalogue = { ...kernelErrors, ...identityErrors, ...agentErrors, ...paymentErrors } as const;

export type ErrorCode = keyof typeof errorCatalogue;
