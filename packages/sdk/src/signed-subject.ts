/** The subject of an action message, and the function that fetches its message. */
import type { SignedAction } from '@market/contract';
import type { WalletSigner } from './identity.ts';

export interface SignedSubject {
  readonly action: SignedAction;
  readonly agentId?: string | undefined;
}

export type AskChallenge = (signer: WalletSigner, subject: SignedSubject) => Promise<string>;
