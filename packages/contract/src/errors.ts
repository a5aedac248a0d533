import { agentErrors } from './agents/errors.ts';
import { identityErrors } from './identity/errors.ts';
import { kernelErrors } from './kernel/errors.ts';

/** Every stable error code of the service. One folder per noun adds its own. */
export const errorCatalogue = { ...kernelErrors, ...identityErrors, ...agentErrors } as const;

export type ErrorCode = keyof typeof errorCatalogue;
