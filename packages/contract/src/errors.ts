import { closingErrors } from './accounts/closing/errors.ts';
import { connectionErrors } from './accounts/connections/errors.ts';
import { identityErrors } from './accounts/identity/errors.ts';
import { moveErrors } from './accounts/moves/errors.ts';
import { walletErrors } from './agent-wallets/errors.ts';
import { agentErrors } from './agents/errors.ts';
import { bountyErrors } from './bounties/errors.ts';
import { savedSearchErrors } from './discovery/saved-searches/errors.ts';
import { statsErrors } from './discovery/stats/errors.ts';
import { earnErrors } from './earn/errors.ts';
import { eventErrors } from './events/errors.ts';
import { kernelErrors } from './kernel/errors.ts';
import { moderationErrors } from './moderation/errors.ts';
import { onchainFeedbackErrors } from './onchain/feedback/errors.ts';
import { onchainIdentityErrors } from './onchain/identity/errors.ts';
import { disputeErrors } from './orders/disputes/errors.ts';
import { orderErrors } from './orders/errors.ts';
import { portfolioErrors } from './orders/portfolio/errors.ts';
import { paymentErrors } from './payments/errors.ts';
import { saidErrors } from './said/errors.ts';
import { serviceErrors } from './services/errors.ts';
import { spendingErrors } from './spending/errors.ts';
import { tokenErrors } from './tokens/errors.ts';
import { feeErrors } from './tokens/fees/errors.ts';
import { swapErrors } from './tokens/swap/errors.ts';
import { uploadErrors } from './uploads/errors.ts';
import { webhookErrors } from './webhooks/errors.ts';
import { x402Errors } from './x402/errors.ts';

/** Every stable error code of the service. One folder per noun adds its own. */
export const errorCatalogue = {
  ...kernelErrors,
  ...eventErrors,
  ...feeErrors,
  ...identityErrors,
  ...connectionErrors,
  ...agentErrors,
  ...orderErrors,
  ...disputeErrors,
  ...bountyErrors,
  ...earnErrors,
  ...paymentErrors,
  ...moderationErrors,
  ...closingErrors,
  ...moveErrors,
  ...portfolioErrors,
  ...savedSearchErrors,
  ...serviceErrors,
  ...spendingErrors,
  ...statsErrors,
  ...swapErrors,
  ...tokenErrors,
  ...saidErrors,
  ...onchainIdentityErrors,
  ...onchainFeedbackErrors,
  ...uploadErrors,
  ...walletErrors,
  ...webhookErrors,
  ...x402Errors,
} as const;

export type ErrorCode = keyof typeof errorCatalogue;
