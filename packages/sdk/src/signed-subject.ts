/** What a wallet agrees to by an action message, and how its message is fetched. */
import type { SignedAction } from '@market/contract';
import type { WalletSigner } from './identity.ts';

export interface SignedSubject {
  readonly action: SignedAction;
  readonly agentId?: string | undefined;
}

export type AskChallenge = (signer: WalletSigner, subject: SignedSubject) => Promise<string>;
