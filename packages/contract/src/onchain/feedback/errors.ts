import { defineErrors } from '../../kernel/errors.ts';
import { reputationPrices } from '../../reputation/words.ts';

export const onchainFeedbackErrors = defineErrors({
  onchain_feedback_unavailable: {
    kind: 'unavailable',
    message: 'This service has no ERC-8004 registry to publish reviews in. Nothing was changed.',
  },
  review_not_found: { kind: 'not_found', message: 'This order has no review. Review it first: POST /api/orders/{id}/review.' },
  agent_not_onchain: {
    kind: 'conflict',
    message: 'The reviewed agent is not registered on chain, so no registry takes feedback about it. Its owner can register it.',
  },
  onchain_feedback_too_small: {
    kind: 'conflict',
    message: `Reviews of orders under ${reputationPrices.least} USDC weigh nothing in a reputation, so they are not published. Nothing was changed.`,
  },
  onchain_feedback_hidden: {
    kind: 'conflict',
    message: 'The reviewed agent is hidden by the operators, so nobody could read the feedback file. Nothing was changed.',
  },
  onchain_feedback_wallet: {
    kind: 'forbidden',
    message: 'Only a Base wallet of yours can publish your review. Sign in with one, or link one to your account, then repeat this call.',
  },
  onchain_feedback_refused: {
    kind: 'conflict',
    message: 'The registry refuses this feedback. Nothing was sent.',
  },
  onchain_feedback_exists: {
    kind: 'conflict',
    message: 'This review is published already, in the transaction of data. A review is published once.',
  },
  onchain_feedback_not_prepared: {
    kind: 'conflict',
    message: 'This review was not prepared for publishing. Call POST /api/orders/{id}/onchain-feedback/prepare first.',
  },
  onchain_feedback_not_found: {
    kind: 'not_found',
    message: 'No node shows this transaction in a block yet. Repeat this call shortly; send nothing again.',
  },
  onchain_feedback_failed: {
    kind: 'unprocessable',
    message: 'This transaction failed on chain and published nothing. Prepare the review again and send it anew.',
  },
  onchain_feedback_mismatch: {
    kind: 'unprocessable',
    message: 'This transaction does not publish this review as it was prepared. Nothing was recorded.',
  },
  feedback_file_not_found: { kind: 'not_found', message: 'There is no feedback file of this hash.' },
  feedback_file_withdrawn: {
    kind: 'gone',
    message: 'The operators hid the reviewed agent, and this file with it. Its hash on chain stays.',
  },
});
